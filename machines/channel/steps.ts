/** The steps of an open channel: locks, deposits, what the partner and the chain say. */
import {
  assertSound,
  type ChannelEnd,
  findLock,
  withLock,
  withoutLock,
  withUnlocked,
  withWithdrawn,
} from '../../src/protocol/channel-end.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { isEnoughTime } from '../../src/protocol/expiration.ts';
import type { Hash } from '../../src/protocol/hex.ts';
import type { Lock } from '../../src/protocol/lock.ts';
import { toAsker } from '../asking.ts';
import type { Effect } from '../effects.ts';
import type { ChannelLog, TransactionEnded } from '../events/chain.ts';
import type { Deposit, SetRevealTimeout } from '../events/commands.ts';
import type {
  SyncReceived,
  WithdrawConfirmationReceived,
  WithdrawExpiredReceived,
} from '../events/messages.ts';
import type {
  AddLock,
  DoUnlock,
  ExpireLock,
  ForwardLock,
  SecretRegistered,
  Unanswered,
} from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { unexplainedLock } from '../keeper/keeping.ts';
import type { Step } from '../step.ts';
import { withoutForwarded } from './budgets.ts';
import type { ChannelContext } from './context.ts';
import { depositRefusal } from './deposit-limits.ts';
import {
  closedNotices,
  depositTx,
  goneNotices,
  incomingApplied,
  lockAdded,
  lockExpired,
  lockForwarded,
  lockUnlocked,
  partnerDeposited,
  settledNotice,
  syncMessage,
} from './effects.ts';
import { forwardable } from './mediation.ts';
import { leastReveal, timeoutsRefusal, UNSAFE_TIMEOUTS } from './timeouts.ts';
import { type Incoming, incomingStep, lockIn, lockOf, partnerProofOf } from './transfers.ts';
import { endWithdraw, refuseWaiting } from './withdraws.ts';

type ChannelStep = Step<ChannelContext>;
type Repeated = Incoming | WithdrawConfirmationReceived | WithdrawExpiredReceived;

/** The context after a side changed; refuses to go on with one that lends or loses money. */
function withOwn(channel: ChannelContext, ownEnd: ChannelEnd): ChannelContext {
  assertSound(ownEnd, channel.partnerEnd);
  return { ...channel, ownEnd };
}

export function addLock(channel: ChannelContext, event: Stamped<AddLock>): ChannelStep {
  const next = withOwn(channel, withLock(channel.ownEnd, lockOf(channel, event)));
  return { patch: next, effects: lockAdded(next, event) };
}

/** Passes a transfer on with a lock that ends with the payer's; `forwardable` said that it may. */
export function forwardLock(channel: ChannelContext, event: Stamped<ForwardLock>): ChannelStep {
  const asked = forwardable(channel, event);
  if (!asked.ok) throw new Error(`channel: passed on what it must not: ${asked.code}`);
  const { secrethash, expiration, payer } = event;
  const lock = { amount: asked.amount, secrethash, expiration };
  const forwarded = [...channel.forwarded, { secrethash, payer: payer.partner }];
  const next = withOwn({ ...channel, forwarded }, withLock(channel.ownEnd, lock));
  return { patch: next, effects: lockForwarded(next, event) };
}

export function refuseLock(event: AddLock | ForwardLock, code: Code): ChannelStep {
  const refusal = { type: 'actor.lockRefused', code, detail: LOCK_REFUSALS[code] ?? '' } as const;
  return { patch: {}, effects: [{ type: 'notify', to: event.from, event: refusal }] };
}
const LOCK_REFUSALS: Partial<Record<Code, string>> = {
  insufficient_balance: 'The channel cannot carry this amount: deposit more or pay less.',
  too_many_locks: 'Try again when some have ended.',
  invalid_timeout:
    'The lock timeout must be greater than the reveal timeout and not greater than the settle timeout.',
  unsafe_timeouts: UNSAFE_TIMEOUTS,
  secret_used: 'A payment with this secret hash is pending: use another secret.',
  channel_not_open: 'Pay through another one, or open one when this is settled.',
  disk_full: 'No payment is begun until the database has room again: free some space on its disk.',
  chain_unavailable: 'What is known of the chain is out of date: try again when the node is ready.',
  insufficient_gas:
    'The account could not pay for the gas that protects another payment: send it some.',
};

export function hasLock(channel: ChannelContext, event: DoUnlock | ExpireLock): boolean {
  return findLock(channel.ownEnd, event.secrethash) !== undefined;
}

export function unlock(channel: ChannelContext, event: DoUnlock): ChannelStep {
  const lock = lockIn(channel.ownEnd, event.secrethash);
  const unlocked = withOwn(channel, withUnlocked(channel.ownEnd, lock));
  const next = forgetOwn(forget(unlocked, event.secrethash), event.secrethash);
  return { patch: next, effects: lockUnlocked(next, event, lock) };
}

export function expireLock(channel: ChannelContext, event: ExpireLock): ChannelStep {
  const lock = lockIn(channel.ownEnd, event.secrethash);
  const expired = withOwn(channel, withoutLock(channel.ownEnd, lock));
  const next = forgetOwn(forget(expired, event.secrethash), event.secrethash);
  return { patch: next, effects: lockExpired(next, lock) };
}

export function noteRegistered(channel: ChannelContext, event: SecretRegistered): ChannelStep {
  const { registered } = channel;
  const isNew = !registered.includes(event.secrethash) && isPending(channel, event.secrethash);
  return {
    patch: { registered: isNew ? [...registered, event.secrethash] : registered },
    effects: [],
  };
}

/** The lock that nobody answers for, if the channel has it still. */
export function unansweredLock(
  { ownEnd, partnerEnd }: ChannelContext,
  { side, secrethash }: Unanswered,
): Lock | undefined {
  return findLock(side === 'own' ? ownEnd : partnerEnd, secrethash);
}

export function giveKeeper(channel: ChannelContext, event: Unanswered): ChannelStep {
  const lock = unansweredLock(channel, event);
  return { patch: {}, effects: lock === undefined ? [] : [unexplainedLock(channel, lock, event)] };
}

/** After a lock has gone: what is known of its secret goes with it, unless the other side has one, too. */
function forget(channel: ChannelContext, secrethash: Hash): ChannelContext {
  const isKept = channel.registered.length === 0 || isPending(channel, secrethash);
  return isKept
    ? channel
    : { ...channel, registered: channel.registered.filter((hash) => hash !== secrethash) };
}

const isPending = ({ ownEnd, partnerEnd }: ChannelContext, secrethash: Hash): boolean =>
  findLock(ownEnd, secrethash) !== undefined || findLock(partnerEnd, secrethash) !== undefined;

/** An own lock is gone: it takes nobody's room any more. */
function forgetOwn(channel: ChannelContext, secrethash: Hash): ChannelContext {
  return { ...channel, forwarded: withoutForwarded(channel.forwarded, secrethash) };
}

/** Applies a partner's balance-proof message; `incomingStep` said that it is right. */
export function applyIncoming(channel: ChannelContext, event: Stamped<Incoming>): ChannelStep {
  const step = incomingStep(channel, event);
  if (!step.ok) throw new Error(`channel: applied a wrong message: ${step.reason}`);
  assertSound(channel.ownEnd, step.end);
  const partnerProof = partnerProofOf(event.message, event.signature);
  const applied = { ...channel, partnerEnd: step.end, partnerProof };
  const next = forget(applied, step.lock.secrethash);
  return { patch: next, effects: incomingApplied(next, event, step.lock) };
}

/** The acknowledgement of something that was applied before. */
export function acknowledgeAgain(channel: ChannelContext, event: Repeated): ChannelStep {
  const { messageId } = event.message;
  return { patch: {}, effects: [{ type: 'send.processed', to: channel.partner, messageId }] };
}

export function isSync(channel: ChannelContext, event: SyncReceived): boolean {
  const fromPartner = event.sender === channel.partner;
  return fromPartner && (event.isProven || event.message.acceptedNonce === 0n);
}

/** What the partner holds need not be repeated; what it lacks goes out again now. */
export function answerSync(channel: ChannelContext, event: SyncReceived): ChannelStep {
  const { acceptedNonce, answer } = event.message;
  const effects: Effect[] = [
    { type: 'done.queue', queue: channel.id, upToNonce: acceptedNonce },
    { type: 'resend', queue: channel.id },
  ];
  if (answer) effects.push(syncMessage(channel, false));
  return { patch: {}, effects };
}

export function noteDeposit(channel: ChannelContext, event: ChannelLog): ChannelStep {
  if (event.type !== 'chain.channelDeposit') throw new Error('channel: not a deposit');
  const raise = (end: ChannelEnd) =>
    event.totalDeposit > end.deposit ? { ...end, deposit: event.totalDeposit } : end;
  if (event.participant === channel.own)
    return { patch: { ownEnd: raise(channel.ownEnd) }, effects: [] };
  const next = { ...channel, partnerEnd: raise(channel.partnerEnd) };
  return { patch: { partnerEnd: next.partnerEnd }, effects: partnerDeposited(next) };
}

export function noteWithdraw(channel: ChannelContext, event: ChannelLog): ChannelStep {
  if (event.type !== 'chain.channelWithdraw') throw new Error('channel: not a withdrawal');
  if (event.participant !== channel.own)
    return {
      patch: { partnerEnd: withWithdrawn(channel.partnerEnd, event.totalWithdraw) },
      effects: [],
    };
  const ownEnd = withWithdrawn(channel.ownEnd, event.totalWithdraw);
  const ended = endWithdraw({ ...channel, ownEnd });
  return { patch: { ownEnd, ...ended.patch }, effects: ended.effects };
}

export function startDeposit(channel: ChannelContext, event: Deposit): ChannelStep {
  const { requestId, totalDeposit } = event;
  const jobs = channel.jobs + 1;
  const key = `deposit:${channel.id}:${jobs}`;
  const next = { ...channel, jobs, deposit: { requestId, key, totalDeposit } };
  return { patch: next, effects: [depositTx(next, event)] };
}

export function endDeposit(channel: ChannelContext, event: TransactionEnded): ChannelStep {
  const requestId = channel.deposit?.requestId ?? '';
  const effects = event.ok
    ? [replyChannel(channel, requestId)]
    : [refusal(requestId, event.code, event.detail)];
  return { patch: { deposit: null }, effects };
}

/** Why the deposit cannot be made, or null. Equal to the present one needs nothing: also null. */
export function channelDepositRefusal(channel: ChannelContext, event: Deposit): Code | null {
  const { totalDeposit, limits } = event;
  return depositRefusal(channel.ownEnd.deposit, totalDeposit, limits) ?? timeoutsRefusal(channel);
}

export function revealTimeoutRefusal(
  channel: ChannelContext,
  event: SetRevealTimeout,
): Code | null {
  const { revealTimeout, minimum } = event;
  const least = leastReveal({ ...channel, minRevealTimeout: minimum });
  return isEnoughTime({ ...channel, revealTimeout }, least) ? null : 'invalid_timeout';
}

export function setRevealTimeout(channel: ChannelContext, event: SetRevealTimeout): ChannelStep {
  const { requestId, revealTimeout } = event;
  return {
    patch: { revealTimeout, isRevealChosen: true },
    effects: [replyChannel(channel, requestId)],
  };
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

export function replyChannel(channel: ChannelContext, requestId: string): Effect {
  const value = { kind: 'channel', channel: channel.id } as const;
  return toAsker({ type: 'reply.ok', requestId, value });
}

export function refusal(requestId: string, code: Code, detail: string): Effect {
  return toAsker({ type: 'reply.error', requestId, code, detail });
}
