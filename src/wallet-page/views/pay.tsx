/** Pays an address or a name, or what a payment link asks for. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fromUnits } from '../../basics/digits.ts';
import { createClient } from '../../client/api.ts';
import { parsePaymentLink } from '../../client/payment-link.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { clockText } from '../../page-parts/clock.ts';
import { personName } from '../../page-parts/labels.ts';
import { ProblemNote } from '../../page-parts/problem.tsx';
import { Reach, WholeAmount } from '../base/figures.tsx';
import { FormField, PersonField, TokenChoice } from '../forms/fields.tsx';
import { payIntent } from '../forms/intents.ts';
import { tokenOf, tokensOf } from '../forms/tokens.ts';
import { useConfirm } from '../forms/use-confirm.tsx';
import type { Wallet, WalletNode, WalletViewProps } from '../state/wallet.ts';
import { typedAmount, typedIdentifier } from '../texts/amounts.ts';
import { type Earlier, keyOf, paidBefore } from '../texts/earlier.ts';
import { addressMeant, otherName } from '../texts/names.ts';
import { reasonOf } from '../texts/reasons.ts';
import { may } from '../texts/scopes.ts';
import { channelWith, sumOf } from '../texts/sums.ts';

/** `expires`: of the link that it is from, in seconds since 1970; null: it has no end. */
type Written = {
  to: string;
  token: string;
  amount: string;
  identifier: string;
  expires: bigint | null;
};
const NOTHING: Written = { to: '', token: '', amount: '', identifier: '', expires: null };

export function PayView({ wallet, facts, link }: WalletViewProps & { link: string }) {
  const channels = wallet.channels.value;
  const [given, setGiven] = useState(link);
  const read = given.trim() === '' ? null : readLink(given, facts);
  const [written, setWritten] = useState<Written>(() => (read?.ok ? read.written : NOTHING));
  if (!may(facts.scope, 'pay'))
    return <p>This token may only read: paying needs one with the scope pay.</p>;
  const others = [written.token].filter((token) => token !== '');
  const tokens = tokensOf(facts, channels, others);
  return (
    <>
      <FormField
        label="Payment link"
        value={given}
        hint="Paste one that begins with sluice: to fill in the rest, or leave it empty."
        problem={read?.ok === false ? read.message : null}
        onInput={(text) => {
          setGiven(text);
          // What is written by hand then has no end.
          if (text.trim() === '') setWritten({ ...written, expires: null });
          const found = readLink(text, facts);
          // Of the link before nothing stays: it would be paid in place of the one that is refused.
          if (text.trim() !== '') setWritten(found.ok ? found.written : NOTHING);
        }}
      />
      <PayForm
        {...{ wallet, facts, tokens }}
        written={{ ...written, token: written.token || (tokens[0]?.address ?? '') }}
        onWrite={(changed) => setWritten({ ...written, ...changed })}
        onPaid={() => {
          setGiven('');
          setWritten({ ...NOTHING, token: written.token });
        }}
      />
    </>
  );
}

function readLink(
  text: string,
  facts: WalletNode,
): { ok: true; written: Written } | { ok: false; message: string } {
  const parsed = parsePaymentLink(text);
  if (!parsed.ok) return parsed;
  const { target, token, amount, identifier, chainId, expires } = parsed.value;
  const late = overText(expires);
  if (late !== null) return { ok: false, message: late };
  if (chainId !== null && `${chainId}` !== facts.chainId)
    return {
      ok: false,
      message: `It is for chain ${chainId}, and this node is on ${facts.chainId}.`,
    };
  if (target === facts.address)
    return { ok: false, message: 'It asks for a payment to this node.' };
  const { decimals } = tokenOf(facts, token);
  return {
    ok: true,
    written: {
      expires,
      to: target,
      token,
      amount: amount === null ? '' : fromUnits(amount, decimals),
      identifier: identifier === null ? '' : `${identifier}`,
    },
  };
}

/** Why it is too late to pay what asks to be paid before `expires`, in seconds since 1970; null: it is not. */
function overText(expires: bigint | null): string | null {
  const end = expires === null ? null : new Date(Number(expires) * 1_000);
  if (end === null || end.getTime() > Date.now()) return null;
  return `It was to be paid before ${clockText(end.getTime())}: ask for another.`;
}

type FormProps = WalletViewProps & {
  tokens: ReturnType<typeof tokensOf>;
  written: Written;
  onWrite(changed: Partial<Written>): void;
  onPaid(): void;
};

function PayForm({ wallet, facts, tokens, written, onWrite, onPaid }: FormProps) {
  const { dialog, confirm } = useConfirm(wallet, onPaid);
  const [problem, setProblem] = useState<string | null>(null);
  const token = tokenOf(facts, written.token);
  const to = addressMeant(written.to, facts.names);
  const amount = typedAmount(written.amount, token.decimals, token.symbol);
  const identifier = typedIdentifier(written.identifier);
  const { most } = sumOf(token.address, facts.tokens, facts.capacities).pay;
  const tooMuch =
    amount.ok && amount.units > most ? 'No channel of this node can pay so much now.' : null;
  const isReady = written.token !== '' && to.ok && amount.ok && identifier.ok;

  async function prepare(): Promise<void> {
    if (!to.ok || !amount.ok || !identifier.ok) return;
    const late = overText(written.expires);
    if (late !== null) return setProblem(late);
    const order = {
      ...({ kind: 'pay', token: token.address, target: to.address } as const),
      amount: `${amount.units}`,
      identifier: identifier.value === null ? null : `${identifier.value}`,
    };
    if (order.identifier === null) return confirm(payIntent(order, { warning: tooMuch }));
    const earlier = await earlierWith(wallet, order.token, order.target, order.identifier);
    if (!earlier.ok) return setProblem(earlier.reason);
    setProblem(null);
    const key = keyOf({ ...order, identifier: order.identifier }, earlier.value);
    confirm(payIntent(order, { key, warning: warningOf(order, earlier.value) ?? tooMuch }));
  }

  return (
    <form
      class="form"
      aria-label="Pay"
      onSubmit={(event) => {
        event.preventDefault();
        void prepare();
      }}
    >
      <PersonField
        label="To"
        facts={facts}
        value={written.to}
        hint={
          to.ok
            ? otherName(written.to, to.address, facts.names)
            : 'An address, or a name that this node knows.'
        }
        problem={to.ok ? null : to.message}
        onInput={(text) => onWrite({ to: text })}
      />
      <TokenChoice
        tokens={tokens}
        value={written.token}
        onChoose={(one) => onWrite({ token: one })}
      />
      <FormField
        label={`Amount, ${token.symbol}`}
        value={written.amount}
        isDecimal
        hint={
          <>
            {tooMuch !== null && <strong class="wrong">{tooMuch} </strong>}
            <Limits facts={facts} token={token.address} target={to.ok ? to.address : null} />
          </>
        }
        problem={amount.ok ? null : amount.message}
        onInput={(text) => onWrite({ amount: text })}
      />
      <FormField
        label="Identifier"
        value={written.identifier}
        hint="A number that the payee may have given; it may be empty."
        problem={identifier.ok ? null : 'Write a number from 1 to 2^64 - 1, or nothing.'}
        onInput={(text) => onWrite({ identifier: text })}
      />
      <ProblemNote text={problem} />
      <p class="buttons">
        <button type="submit" class="main" disabled={!isReady}>
          Pay …
        </button>
      </p>
      {dialog}
    </form>
  );
}

type Asked = { token: string; target: string; identifier: string | null };

/** What to say when the identifier was paid before; null: nothing. */
function warningOf({ token, identifier }: Asked, earlier: readonly Earlier[]): ComponentChildren {
  const paid = paidBefore(earlier);
  return paid === null ? null : (
    <>
      You have paid{' '}
      <WholeAmount value={paid.units} token={token} of={`paid:${token}:${identifier}/amount`} /> to
      this address with this identifier already, at {clockText(paid.time)}. Pay once more?
    </>
  );
}

type LimitProps = { facts: WalletNode; token: string; target: string | null };

/** What channels can pay, and what the API's token lets its holder pay, in the token that is paid. */
function Limits({ facts, token, target }: LimitProps) {
  const { cap, perDay, capacities } = facts;
  const direct = target === null ? undefined : channelWith(capacities, token, target);
  return (
    <>
      <Reach sum={sumOf(token, facts.tokens, capacities)} way="pay" />
      {direct !== undefined && (
        <>
          {' '}
          Your own channel with {personName(direct.partner)} can pay{' '}
          <AmountText
            value={BigInt(direct.canPay)}
            token={token}
            of={`with:${token}:${direct.partner}/can_pay`}
          />
          .
        </>
      )}
      {cap !== null && (
        <>
          {' '}
          Your API token may pay at most{' '}
          <WholeAmount value={BigInt(cap)} token={token} of="grant/cap" /> at a time.
        </>
      )}
      {perDay !== null && (
        <>
          {' '}
          Your API token may pay at most{' '}
          <WholeAmount value={BigInt(perDay)} token={token} of="grant/per_day" /> in 24 hours.
        </>
      )}
    </>
  );
}

type Found = { ok: true; value: readonly Earlier[] } | { ok: false; reason: string };

/** What this node has paid, or tried to, with the identifier. */
async function earlierWith(
  { url, options }: Wallet,
  token: string,
  partner: string,
  identifier: string,
): Promise<Found> {
  try {
    const { payments } = createClient(url, options());
    const answer = await payments[':token'][':partner'].$get({
      param: { token, partner },
      query: { identifier },
    });
    if (answer.status === 200) return { ok: true, value: await answer.json() };
    if (answer.status === 500) return { ok: false, reason: await answer.text() };
    return { ok: false, reason: reasonOf(await answer.json()) };
  } catch {
    return { ok: false, reason: 'The node did not answer: nothing was asked for.' };
  }
}
