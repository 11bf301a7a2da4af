/** The close of a channel and its end: who has to hear of it, and who is answered. */

import { balance } from '../../src/protocol/channel-end.ts';
import type { Lock } from '../../src/protocol/lock.ts';
import type { Effect } from '../effects.ts';
import type { LeftChannel } from '../events/notices.ts';
import { keeperId } from '../keeper/keeping.ts';
import { tokenActorId } from '../node/chart.ts';
import type { ChannelContext } from './context.ts';
import { LOCK_GONE, tellPayee, unlocked } from './payments.ts';
import { refusal, replyChannel } from './replies.ts';
import { revealTimeoutInForce } from './timeouts.ts';
import { refuseWaiting } from './withdraws.ts';

/** Both ends of every pending lock learn that only the chain counts from now on. */
function closedNotices(channel: ChannelContext): Effect[] {
  const event = { type: 'actor.channelClosed', channel: channel.id } as const;
  const { ownEnd, partnerEnd } = channel;
  const tell =
    (role: string) =>
    ({ secrethash }: Lock): Effect => ({ type: 'notify', to: `${role}:${secrethash}`, event });
  return [
    { type: 'done.queue', queue: channel.id, upToNonce: null },
    ...ownEnd.locks.map(tell('initiator')),
    ...partnerEnd.locks.map(tell('target')),
    ...[...ownEnd.locks, ...partnerEnd.locks].map(tell('mediator')),
  ];
}

/** The payments whose locks end with the channel. */
function goneNotices(channel: ChannelContext): Effect[] {
  const { id, ownEnd, partnerEnd, registered } = channel;
  const event = { type: 'actor.ownLockGone', channel: id } as const;
  return [
    ...partnerEnd.locks.flatMap(({ secrethash }) =>
      tellPayee(channel, secrethash, registered.includes(secrethash) ? unlocked(null) : LOCK_GONE),
    ),
    ...ownEnd.locks.flatMap(({ secrethash }) =>
      [`mediator:${secrethash}`, keeperId(id, 'own', secrethash)].map(
        (to): Effect => ({ type: 'notify', to, event }),
      ),
    ),
  ];
}

/** Nothing changes a channel between its close and its settlement: the last is as good as the first. */
export function settledNotice(channel: ChannelContext): Effect {
  const { id, channelId, partner, ownEnd, partnerEnd, settleTimeout } = channel;
  const left: LeftChannel = {
    channel: id,
    channelId,
    partner,
    balance: balance(ownEnd, partnerEnd) - ownEnd.locked,
    totalDeposit: ownEnd.deposit,
    totalWithdraw: ownEnd.withdrawn,
    settleTimeout,
    revealTimeout: revealTimeoutInForce(channel),
  };
  const event = { type: 'actor.channelSettled', left } as const;
  return { type: 'notify', to: tokenActorId(channel.token), event };
}

/** Only the chain counts from here on: waiting callers and pending payments learn it. */
export function closeNotices(channel: ChannelContext): Effect[] {
  return [...closedNotices(channel), ...lastAnswers(channel)];
}

const CLOSED = { code: 'channel_not_open', detail: 'It was closed.' } as const;

/** Nobody waits for a channel that has ended. A close is what the one who asked for it wanted. */
function lastAnswers(channel: ChannelContext): Effect[] {
  const { closeRequest, deposit, withdraw } = channel;
  return [
    ...(closeRequest === null ? [] : [replyChannel(channel, closeRequest)]),
    ...(deposit === null ? [] : [refusal(deposit.requestId, CLOSED.code, CLOSED.detail)]),
    ...refuseWaiting(withdraw, CLOSED),
  ];
}

/** Two consents of both sides may settle a channel that nobody has closed. */
export function goneEffects(channel: ChannelContext): Effect[] {
  const emptied: Effect = { type: 'done.queue', queue: channel.id, upToNonce: null };
  return [emptied, ...goneNotices(channel), ...lastAnswers(channel), settledNotice(channel)];
}
