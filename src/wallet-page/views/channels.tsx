/** Opens channels, deposits, withdraws and closes. */
import { useState } from 'preact/hooks';
import { AmountText } from '../../page-parts/amount.tsx';
import { personName, tokenName } from '../../page-parts/labels.ts';
import { AmountForm } from '../forms/amount-form.tsx';
import { FormField, PersonField, TokenChoice } from '../forms/fields.tsx';
import { chainIntent } from '../forms/intents.ts';
import { type OfferedToken, tokenOf, tokensOf } from '../forms/tokens.ts';
import { useConfirm } from '../forms/use-confirm.tsx';
import type { WalletChannel, WalletNode, WalletViewProps } from '../state/wallet.ts';
import { typedAmount } from '../texts/amounts.ts';
import { blocksText } from '../texts/costs.ts';
import { addressMeant, otherName } from '../texts/names.ts';
import { may } from '../texts/scopes.ts';
import { PendingCard } from './channel-card.tsx';
import { ChannelList } from './channel-list.tsx';

export function ChannelsView({ wallet, facts }: WalletViewProps) {
  const channels = wallet.channels.value;
  const isAdmin = may(facts.scope, 'admin');
  return (
    <>
      {isAdmin ? (
        <OpenForm {...{ wallet, facts }} />
      ) : (
        <p>This token may not change channels: that needs one with the scope admin.</p>
      )}
      <ul class="cards">
        {wallet.pending.value.map((channel) => (
          <PendingCard
            key={`${channel.token_address} ${channel.partner_address}`}
            channel={channel}
          />
        ))}
      </ul>
      {channels === null ? (
        <p class="waiting">Waiting for the channels …</p>
      ) : (
        <ChannelList
          {...{ facts, channels }}
          actions={(channel) =>
            isAdmin && channel.state === 'opened' && <Actions {...{ wallet, facts, channel }} />
          }
        />
      )}
    </>
  );
}

function OpenForm({ wallet, facts }: WalletViewProps) {
  const tokens = tokensOf(facts, wallet.channels.value);
  const [partner, setPartner] = useState('');
  const [chosen, setChosen] = useState('');
  const [depositIn, setDeposit] = useState('');
  const [timeout, setTimeout] = useState(facts.settleTimeout);
  const { dialog, confirm } = useConfirm(wallet, () => {
    setPartner('');
    setDeposit('');
  });
  const token = tokenOf(facts, chosen || (tokens[0]?.address ?? ''));
  const meant = addressMeant(partner, facts.names);
  const deposit = typedAmount(depositIn, token.decimals, token.symbol);
  const isTimeout = /^[1-9]\d{0,7}$/.test(timeout);
  const units = depositIn === '' ? 0n : deposit.ok ? deposit.units : null;

  function prepare(): void {
    if (!meant.ok || units === null) return;
    const order = { kind: 'open', token: token.address, partner: meant.address } as const;
    confirm(chainIntent({ ...order, deposit: `${units}`, settleTimeout: timeout }, facts));
  }

  return (
    <form
      class="form"
      aria-label="Open a channel"
      onSubmit={(event) => {
        event.preventDefault();
        prepare();
      }}
    >
      <h2>Open a channel</h2>
      <PersonField
        label="With"
        facts={facts}
        value={partner}
        hint={
          meant.ok
            ? otherName(partner, meant.address, facts.names)
            : 'An address, or a name that this node knows.'
        }
        problem={meant.ok ? null : meant.message}
        onInput={setPartner}
      />
      <TokenChoice tokens={tokens} value={token.address} onChoose={setChosen} />
      <FormField
        label={`Deposit, ${token.symbol}`}
        value={depositIn}
        isDecimal
        hint={<OnChain facts={facts} token={token} />}
        problem={deposit.ok ? null : deposit.message}
        onInput={setDeposit}
      />
      <FormField
        label="Settle timeout, blocks"
        value={timeout}
        hint={isTimeout ? `A close takes ${blocksText(BigInt(timeout), facts.blockSeconds)}.` : ''}
        problem={isTimeout ? null : 'Write a number of blocks.'}
        onInput={setTimeout}
      />
      <p class="buttons">
        <button
          type="submit"
          class="main"
          disabled={!meant.ok || units === null || !isTimeout || tokens.length === 0}
        >
          Open …
        </button>
      </p>
      {dialog}
    </form>
  );
}

function OnChain({ facts, token: { address } }: { facts: WalletNode; token: OfferedToken }) {
  const told = facts.tokens.find((token) => token.address === address)?.onChain ?? null;
  if (told === null) return <>It may be empty.</>;
  return (
    <>
      You have <AmountText value={BigInt(told)} token={address} of={`token:${address}/on_chain`} />{' '}
      on chain.
    </>
  );
}

function Actions({ wallet, facts, channel }: WalletViewProps & { channel: WalletChannel }) {
  const { token_address: token, partner_address: partner } = channel;
  const { dialog, confirm } = useConfirm(wallet);
  const of = { token, partner };
  const name = `the ${tokenName(token)} channel with ${personName(partner)}`;
  const common = { wallet, facts, token };
  // A total, as the API takes it: the same one asked for twice, in two tabs as well, is reached once.
  const total = (before: string, more: bigint) => `${BigInt(before) + more}`;
  return (
    <>
      <AmountForm
        {...common}
        verb="Deposit"
        name={`Deposit into ${name}`}
        intentOf={(added) => {
          const sum = total(channel.total_deposit, added);
          return chainIntent({ kind: 'deposit', ...of, total: sum, added: `${added}` }, facts);
        }}
      />
      <AmountForm
        {...common}
        verb="Withdraw"
        name={`Withdraw from ${name}`}
        intentOf={(taken) => {
          const sum = total(channel.total_withdraw, taken);
          return chainIntent({ kind: 'withdraw', ...of, total: sum, taken: `${taken}` }, facts);
        }}
      />
      <p class="buttons">
        <button
          type="button"
          aria-label={`Close ${name}`}
          onClick={() => {
            const settleTimeout = BigInt(channel.settle_timeout);
            confirm(chainIntent({ kind: 'close', ...of }, facts, settleTimeout));
          }}
        >
          Close …
        </button>
      </p>
      {dialog}
    </>
  );
}
