/** One channel: with whom, what is in it, and how it stands. */
import type { ComponentChildren } from 'preact';
import { Copy } from '../../page-parts/copy.tsx';
import { shortId } from '../../page-parts/digits.ts';
import { isNamed, personName } from '../../page-parts/labels.ts';
import type { Channel } from '../state/wallet.ts';
import { Figures } from './figures.tsx';

const REACHABLE: Record<Channel['network_state'], string> = {
  reachable: '● there',
  unreachable: '○ away',
  unknown: '◌ not known whether there',
};

export function ChannelCard({
  channel,
  children,
}: {
  channel: Channel;
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
      <h3>
        {isNamed(partner) && `${personName(partner)} `}
        <Copy label="address" text={partner} shown={shortId(partner)} />
      </h3>
      <p class="hint">
        {state === 'opened' ? REACHABLE[channel.network_state] : `■ ${state}`} · channel{' '}
        {channel.channel_identifier} · settles {channel.settle_timeout} blocks after a close
      </p>
      <Figures rows={figures} token={token} />
      {children}
    </li>
  );
}
