/** One channel: with whom, what is in it, and how it stands; or one that is being opened. */
import type { ComponentChildren } from 'preact';
import { shortId } from '../../inspector/texts/short-id.ts';
import { Copy } from '../../page-parts/copy.tsx';
import { figureOf } from '../../page-parts/figure.ts';
import { isNamed, personName } from '../../page-parts/labels.ts';
import type { OpeningChannel, WalletChannel } from '../state/wallet.ts';
import { AmountList } from './figures.tsx';

const REACHABLE: Record<WalletChannel['network_state'], string> = {
  reachable: '● there',
  unreachable: '○ away',
  unknown: '◌ not known whether there',
};

export function ChannelCard({
  channel,
  children,
}: {
  channel: WalletChannel;
  children?: ComponentChildren;
}) {
  const { partner_address: partner, token_address: token, state } = channel;
  const whose = `channel:${channel.token_network_address}:${channel.channel_identifier}`;
  const figures = [
    ['You can pay', channel.balance, `${whose}/can_pay`],
    ['Deposited', channel.total_deposit, `${whose}/total_deposit`],
    ['Withdrawn', channel.total_withdraw, `${whose}/total_withdraw`],
  ] as const;
  return (
    <li class="card">
      <Partner address={partner} />
      <p class="hint">
        <span {...figureOf({ of: `${whose}/state`, value: state, unit: 'word' })}>
          {state === 'opened' ? REACHABLE[channel.network_state] : `■ ${state}`}
        </span>{' '}
        · channel {channel.channel_identifier} · settles{' '}
        <span
          {...figureOf({
            of: `${whose}/settle_timeout`,
            value: channel.settle_timeout,
            unit: 'blocks',
          })}
        >
          {channel.settle_timeout} blocks
        </span>{' '}
        after a close
      </p>
      <AmountList rows={figures} token={token} />
      {children}
    </li>
  );
}

/** A channel that is not confirmed on chain yet. */
export function PendingCard({ channel }: { channel: OpeningChannel }) {
  const { partner_address: partner, token_address: token, total_deposit: deposit } = channel;
  return (
    <li class="card">
      <Partner address={partner} />
      <p class="hint">◌ being opened: not confirmed on chain yet</p>
      <AmountList
        rows={[['Deposit', deposit, `opening:${token}:${partner}/total_deposit`]]}
        token={token}
      />
    </li>
  );
}

function Partner({ address }: { address: string }) {
  return (
    <h3>
      {isNamed(address) && `${personName(address)} `}
      <Copy label="address" text={address} shown={shortId(address)} />
    </h3>
  );
}
