/** One channel: with whom, what is in it, and how it stands; or one that is being opened. */
import type { ComponentChildren } from 'preact';
import { shortId } from '../../inspector/texts/short-id.ts';
import { Copy } from '../../page-parts/copy.tsx';
import { figureOf } from '../../page-parts/figure.ts';
import { isNamed, personName } from '../../page-parts/labels.ts';
import { AmountList, Sides } from '../base/figures.tsx';
import type { OpeningChannel, WalletChannel } from '../state/wallet.ts';

const REACHABLE: Record<WalletChannel['network_state'], string> = {
  reachable: '● there',
  unreachable: '○ away',
  unknown: '◌ not known whether there',
};

/** Channels of two tokens may have the same identifier. */
export const whoseOf = (channel: WalletChannel): string =>
  `channel:${channel.token_network_address}:${channel.channel_identifier}`;

type CardProps = {
  channel: WalletChannel;
  canPay: bigint;
  canReceive: bigint;
  left: string | null;
  children: ComponentChildren;
};

export function ChannelCard({ channel, canPay, canReceive, left, children }: CardProps) {
  const { partner_address: partner, token_address: token } = channel;
  return (
    <li class="card">
      <Partner address={partner} />
      <Sides whose={whoseOf(channel)} {...{ token, canPay, canReceive }} />
      <p class="hint">
        <StateText channel={channel} left={left} />
      </p>
      <ChannelAmounts channel={channel} />
      {children}
    </li>
  );
}

export function StateText({ channel, left }: Pick<CardProps, 'channel' | 'left'>) {
  const { state, network_state: network } = channel;
  return (
    <span {...figureOf({ of: `${whoseOf(channel)}/state`, value: state, unit: 'word' })}>
      {state === 'opened' ? REACHABLE[network] : `■ ${state}${left === null ? '' : `, ${left}`}`}
    </span>
  );
}

/** What was paid in and taken out, and what a close takes. */
export function ChannelAmounts({ channel }: { channel: WalletChannel }) {
  const whose = whoseOf(channel);
  const { settle_timeout: timeout } = channel;
  const claim = { of: `${whose}/settle_timeout`, value: timeout, unit: 'blocks' } as const;
  const figures = [
    ['Deposited', channel.total_deposit, `${whose}/total_deposit`],
    ['Withdrawn', channel.total_withdraw, `${whose}/total_withdraw`],
  ] as const;
  return (
    <>
      <AmountList rows={figures} token={channel.token_address} />
      <p class="hint">
        Channel {channel.channel_identifier}
        {channel.state === 'opened' && (
          <>
            {' '}
            · settles <span {...figureOf(claim)}>{timeout} blocks</span> after a close
          </>
        )}
      </p>
    </>
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

export function Partner({ address }: { address: string }) {
  return (
    <h3>
      {isNamed(address) && `${personName(address)} `}
      <Copy label="address" text={address} shown={shortId(address)} />
    </h3>
  );
}
