/**
 * How a channel learns that an old copy of its database is running. Whatever the channel signed from then on could be
 * used against this node, and what it believes of the partner's money is no longer true.
 */

import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { SyncReceived } from '../events/messages.ts';
import { inOrder, type Step } from '../step.ts';
import type { ChannelContext } from './context.ts';
import { noteWithdraw, refuseWaiting } from './withdraws.ts';

type ChannelStep = Step<ChannelContext>;

const STALE = { code: 'channel_not_open', detail: 'The database is an old copy.' } as const;

function stale(channel: ChannelContext, detail: string): ChannelStep {
  const { id, withdraw } = channel;
  return {
    patch: { withdraw: withdraw === null ? null : { ...withdraw, waiting: [] } },
    effects: [
      { type: 'record.alert', alert: 'stale_database', channel: id, detail },
      ...refuseWaiting(withdraw, STALE),
    ],
  };
}

/** Whether the partner has proven that it holds a signature of ours that this database does not know. */
export function isAhead(channel: ChannelContext, event: SyncReceived): boolean {
  const fromPartner = event.sender === channel.partner;
  return fromPartner && event.isProven && event.message.acceptedNonce > channel.ownEnd.nonce;
}

export function noteStale(channel: ChannelContext, event: SyncReceived): ChannelStep {
  const { acceptedNonce } = event.message;
  const { nonce } = channel.ownEnd;
  return stale(channel, `the partner proved nonce ${acceptedNonce}, the database ends at ${nonce}`);
}

/**
 * Whether the contract paid out a withdraw that this database knows no consent to, although both sides must have
 * signed it.
 */
export function isUnknownWithdraw(channel: ChannelContext, event: ChannelLog): boolean {
  if (event.type !== 'chain.channelWithdraw') return false;
  const { withdrawn, withdraws } =
    event.participant === channel.own ? channel.ownEnd : channel.partnerEnd;
  const isAgreed = withdraws.some(({ totalWithdraw }) => totalWithdraw === event.totalWithdraw);
  return event.totalWithdraw > withdrawn && !isAgreed;
}

export function noteUnknownWithdraw(channel: ChannelContext, event: ChannelLog): ChannelStep {
  return inOrder(
    channel,
    (next) => noteWithdraw(next, event),
    (next) => stale(next, 'a withdrawal is on chain to which the database knows no consent'),
  );
}

/** The operator has accepted an old copy of the database, and this channel was opened after the copy was taken. */
export function noteOldCopy(channel: ChannelContext): ChannelStep {
  return stale(channel, 'the channel is newer than the accepted old copy of the database');
}
