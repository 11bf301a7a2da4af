/** Asks for a payment: a link and a QR code to be sent or shown to the payer. */
import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import { parseAddress } from '../../basics/hex.ts';
import { paymentLink } from '../../client/payment-link.ts';
import { Copy } from '../../page-parts/copy.tsx';
import { isNamed, personName, wholeAmountText } from '../../page-parts/labels.ts';
import { Reach, WholeAmount } from '../base/figures.tsx';
import { FormField, TokenChoice } from '../forms/fields.tsx';
import { type OfferedToken, tokenOf, tokensOf } from '../forms/tokens.ts';
import type { Wallet, WalletNode, WalletViewProps } from '../state/wallet.ts';
import { typedAmount, typedIdentifier } from '../texts/amounts.ts';
import { sumOf } from '../texts/sums.ts';

export function AskView({ wallet, facts }: WalletViewProps) {
  const tokens = tokensOf(facts, wallet.channels.value);
  const [chosen, setChosen] = useState('');
  const [amountIn, setAmount] = useState('');
  const [identifierIn, setIdentifier] = useState(drawnIdentifier);
  const token = tokenOf(facts, chosen || (tokens[0]?.address ?? ''));
  const amount = typedAmount(amountIn, token.decimals, token.symbol);
  const link = linkOf(facts, token, amountIn, identifierIn);
  return (
    <div class="beside">
      <form
        class="form"
        aria-label="Ask for a payment"
        onSubmit={(event) => event.preventDefault()}
      >
        <TokenChoice tokens={tokens} value={token.address} onChoose={setChosen} />
        <FormField
          label={`Amount, ${token.symbol}`}
          value={amountIn}
          isDecimal
          hint={
            <>
              Empty: the payer chooses.{' '}
              <Reach sum={sumOf(token.address, facts.tokens, facts.capacities)} way="receive" />
            </>
          }
          problem={amount.ok ? null : amount.message}
          onInput={setAmount}
        />
        <IdentifierField value={identifierIn} onInput={setIdentifier} />
        <p class="buttons">
          <button type="button" onClick={() => setIdentifier(drawnIdentifier())}>
            Another identifier
          </button>
        </p>
      </form>
      {link !== null && (
        <Link link={link} facts={facts} token={token} units={amount.ok ? amount.units : null} />
      )}
      <Arrived wallet={wallet} token={token.address} identifier={identifierIn.trim()} />
    </div>
  );
}

function IdentifierField({ value, onInput }: { value: string; onInput(text: string): void }) {
  return (
    <FormField
      label="Identifier"
      value={value}
      hint="By it you know the payment when it comes. Take another for each."
      problem={typedIdentifier(value).ok ? null : 'Write a number from 1 to 2^64 - 1, or nothing.'}
      onInput={onInput}
    />
  );
}

/** Null: what is written is no amount, or no identifier. */
function linkOf(
  facts: WalletNode,
  { address, decimals, symbol }: OfferedToken,
  amountIn: string,
  tag: string,
) {
  const amount = typedAmount(amountIn, decimals, symbol);
  const identifier = typedIdentifier(tag);
  const token = parseAddress(address);
  if ((amountIn !== '' && !amount.ok) || !identifier.ok || token === null) return null;
  return paymentLink({
    ...{ target: facts.address, token, chainId: BigInt(facts.chainId) },
    amount: amount.ok ? amount.units : null,
    identifier: identifier.value,
  });
}

/** `units`: null: the payer chooses. */
type LinkProps = { link: string; facts: WalletNode; token: OfferedToken; units: bigint | null };

function Link({ link, facts, token: { address: token, name }, units }: LinkProps) {
  const amount = units === null ? `any amount of ${name}` : wholeAmountText(units, token);
  const payee = isNamed(facts.address)
    ? `${personName(facts.address)}, ${facts.address}`
    : facts.address;
  return (
    <section aria-label="The link">
      <QrCode text={link} label={`QR code of the link: pay ${amount} to ${payee}`} />
      <p class="asked">
        Pays{' '}
        <strong>
          {units === null ? amount : <WholeAmount value={units} token={token} of="asked/amount" />}
        </strong>{' '}
        to {isNamed(facts.address) && <strong>{personName(facts.address)} </strong>}
        <code>{facts.address}</code>
      </p>
      <p class="link">
        <Copy label="link" text={link} shown={link} />
      </p>
    </section>
  );
}

/** Dark on light in every theme: many readers take nothing else. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}

type ArrivedProps = { wallet: Wallet; token: string; identifier: string };

/** Payments with the identifier that came while the page was open. */
function Arrived({ wallet, token, identifier }: ArrivedProps) {
  const came = wallet.messages.list.value.flatMap((one) =>
    one.kind === 'received' && one.token === token && one.identifier === identifier ? [one] : [],
  );
  return (
    <div role="status">
      {came.map(({ id, amount, from }) => (
        <p key={id} class="came">
          ✓{' '}
          <WholeAmount
            value={BigInt(amount)}
            token={token}
            of={`received:${token}:${identifier}/amount`}
          />{' '}
          came from {personName(from)}.
        </p>
      ))}
    </div>
  );
}

/** 53 bits: short enough to be read out, and no two of them are alike. */
function drawnIdentifier(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return `${(BigInt(high >>> 11) << 32n) + BigInt(low) + 1n}`;
}
