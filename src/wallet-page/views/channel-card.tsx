/** One channel: with whom, what is in it, and how it stands; or one that is being opened. */
import type { ComponentChildren } from 'preact';
import { shortId } from '../../inspector/texts/short-id.ts';
import { Copy } from '../../page-parts/copy.tsx';
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
  const figures = [
    ['You can pay', channel.balance],
    ['Deposited', channel.total_deposit],
    ['Withdrawn', channel.total_withdraw],
  ] as const;
  return (
    <li class="card">
      <Partner address={partner} />
      <p class="hint">
        {state === 'opened' ? REACHABLE[channel.network_state] : `■ ${state}`} · channel{' '}
        {channel.channel_identifier} · settles {channel.settle_timeout} blocks after a close
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
      <AmountList rows={[['Deposit', deposit]]} token={token} />
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
