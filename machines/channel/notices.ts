/** What others are told of a channel: the callers of commands, the actors of its locks, and the token network. */

import type { Hash, Secret } from '../../src/basics/hex.ts';
import { balance } from '../../src/protocol/channel/channel-end.ts';
import type { Lock } from '../../src/protocol/channel/lock.ts';
import { tokenActorId } from '../base/actor-ids.ts';
import { toAsker } from '../base/asking.ts';
import type { Effect } from '../effects.ts';
import type { LeftChannel, LockGone, Unlocked } from '../events/notices.ts';
import { keeperId } from '../keeper/keeping.ts';
import {
  type ActorRefusal,
  type ChannelContext,
  type ChannelStep,
  type OwnWithdraw,
  onAny,
} from './context.ts';
import { revealTimeoutInForce } from './timeouts.ts';

export function replyChannel(channel: ChannelContext, requestId: string): Effect {
  const value = { kind: 'channel', channel: channel.id } as const;
  return toAsker({ type: 'reply.ok', requestId, value });
}

export function refusal(requestId: string, { code, detail }: ActorRefusal): Effect {
  return toAsker({ type: 'reply.error', requestId, code, detail });
}

/** Refuses the callers of a withdraw that ended without being executed. */
export function refuseWaiting(withdraw: OwnWithdraw | null, reason: ActorRefusal): Effect[] {
  const waiting = withdraw?.waiting ?? [];
  return waiting.map((requestId) => ({ type: 'reply.error', requestId, ...reason }));
}

export type PayeeTold = Omit<Unlocked, 'channel'> | Omit<LockGone, 'channel'>;

export const LOCK_GONE: PayeeTold = { type: 'actor.lockGone' };

export const unlocked = (secret: Secret | null): PayeeTold => ({ type: 'actor.unlocked', secret });

/**
 * Tells what became of the partner's lock to the actor that looks after it, whichever part this node has in the
 * payment.
 */
export const tellPayee = ({ id }: ChannelContext, secrethash: Hash, told: PayeeTold): Effect[] =>
  [`target:${secrethash}`, `mediator:${secrethash}`, keeperId(id, 'partner', secrethash)].map(
    (to) => ({ type: 'notify', to, event: { channel: id, ...told } }),
  );

/** Our transfer was given back; the lock of the refund is held until it expires. */
export const tellPayer = ({ id }: ChannelContext, secrethash: Hash): Effect[] =>
  ['initiator', 'mediator'].map((role) => ({
    type: 'notify',
    to: `${role}:${secrethash}`,
    event: { type: 'actor.refunded', channel: id },
  }));

/** Tells the payment actors of every pending lock that only the chain counts from now on. */
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

/** Tells the actors of pending locks that the locks end with the channel. */
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

/** The channel as it was at its close: nothing changes it between the close and the settlement. */
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

/** Tells waiting callers and pending payments that only the chain counts from now on. */
export function closeNotices(channel: ChannelContext): Effect[] {
  return [...closedNotices(channel), ...lastAnswers(channel)];
}

const CLOSED = { code: 'channel_not_open', detail: 'It was closed.' } as const;

/** Answers all callers that wait: the one that asked for the close has what it wanted, the others are refused. */
function lastAnswers(channel: ChannelContext): Effect[] {
  const { closeRequest, deposit, withdraw } = channel;
  return [
    ...(closeRequest === null ? [] : [replyChannel(channel, closeRequest)]),
    ...(deposit === null ? [] : [refusal(deposit.requestId, CLOSED)]),
    ...refuseWaiting(withdraw, CLOSED),
  ];
}

/**
 * Callers may still wait at the end of a channel: consents of both sides can settle a channel that was never closed.
 */
function tellGone(channel: ChannelContext): ChannelStep {
  const emptied: Effect = { type: 'done.queue', queue: channel.id, upToNonce: null };
  const effects = [
    emptied,
    ...goneNotices(channel),
    ...lastAnswers(channel),
    settledNotice(channel),
  ];
  return { patch: { wakeBlock: null }, effects };
}

export const actions = { tellGone: onAny(tellGone) };
