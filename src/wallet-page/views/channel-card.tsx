/** One channel: with whom, what is in it, and how it stands. */
import type { ComponentChildren } from 'preact';
import { Amount } from '../../page-parts/amount.tsx';
import { Copy } from '../../page-parts/copy.tsx';
import { shortId } from '../../page-parts/digits.ts';
import { isNamed, personName } from '../../page-parts/labels.ts';
import type { Channel } from '../state/wallet.ts';

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
      <dl class="figures">
        {figures.map(([name, units]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Amount value={BigInt(units)} token={token} />
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </li>
  );
}
