/**
 * How this node closes a channel: because a caller asks for it, or because the partner owes.
 *
 * A partner owes this node when the secret of its lock was registered on chain in time, and the partner does not
 * unlock. The claim never runs out, but only a closed channel pays it, and until then the lock keeps its tokens and
 * its slot. So when the partner has had its time, the channel closes by itself, settles, and unlocks the lock.
 *
 * No money depends on when that happens, since the claim does not run out. A partner that was only offline loses the
 * open channel by it; all that it owns in the channel is paid out.
 */
import { senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import type { Tx } from '../effects.ts';
import type { BlockReached, TransactionEnded } from '../events/chain.ts';
import type { Close } from '../events/commands.ts';
import type { Stamped } from '../events/stamps.ts';
import { type ChannelContext, type ChannelStep, type Checked, on, onAny, when } from './context.ts';
import { onChannel, RETRY_TIMEOUT } from './dispute.ts';
import { refusal } from './notices.ts';

function closeTx(channel: ChannelContext): Tx {
  return { type: 'tx.close', ...onChannel(channel, 'close', null), proof: channel.partnerProof };
}

/**
 * Blocks that a partner has after the expiration of its lock, to come back, see the secret on chain, and unlock:
 * twice the confirmations, by which both nodes may lag behind the chain, and this channel's reveal timeout, which is
 * the time that this node itself has to act in.
 */
const graceOf = ({ confirmations, revealTimeout }: ChannelContext): bigint =>
  2n * confirmations + revealTimeout;

/** The first block in which the channel is closed for what its partner owes; null: the partner owes nothing. */
export function claimBlock(channel: ChannelContext): bigint | null {
  const { registered, partnerEnd } = channel;
  if (registered.length === 0) return null;
  const known = new Set(registered);
  return partnerEnd.locks
    .filter(({ secrethash }) => known.has(secrethash))
    .map(({ expiration }) => expiration + graceOf(channel))
    .reduce<bigint | null>(earlier, null);
}

/** Whether the partner has had its time, and what it owes is worth the gas that it takes to get it. */
function isClaimDue(
  channel: ChannelContext,
  { nowBlock, refusal }: Stamped<BlockReached>,
): boolean {
  const block = claimBlock(channel);
  return block !== null && nowBlock >= block && refusal === undefined;
}

/**
 * The block at which an open channel has something to do next: take its own withdraw back, or claim what its partner
 * owes.
 */
export function openWakeBlock(channel: ChannelContext): bigint | null {
  const { withdraw, confirmations } = channel;
  const lapse = withdraw === null ? null : senderRemovalBlock(withdraw.expiration, confirmations);
  return lapse === null ? claimBlock(channel) : earlier(claimBlock(channel), lapse);
}

function submitClose(channel: ChannelContext, { requestId }: Close): ChannelStep {
  const jobs = channel.jobs + 1;
  const next = { ...channel, closeRequest: requestId, isOrdered: true, jobs };
  return { patch: next, effects: [closeTx(next)] };
}

/** The transaction failed: whoever asked for the close is told why. */
function refuseClose({ closeRequest }: ChannelContext, event: TransactionEnded): ChannelStep {
  if (event.ok) return { patch: {}, effects: [] };
  const effects = closeRequest === null ? [] : [refusal(closeRequest, event)];
  return { patch: { closeRequest: null }, effects };
}

/** Closes the channel although no caller asked for it: that is charged to the partner in the turn that decides on it. */
function closeToClaim(channel: ChannelContext): ChannelStep {
  const next = { ...channel, isOrdered: false, jobs: channel.jobs + 1 };
  return { patch: next, effects: [{ type: 'record.forced', payer: next.partner }, closeTx(next)] };
}

/** A caller asks for a close that the node has already begun. */
function joinClose(_: ChannelContext, { requestId }: Close): ChannelStep {
  return { patch: { closeRequest: requestId, isOrdered: true }, effects: [] };
}

/** What is due, and is not done now because it is not worth its gas, is looked at again after a while. */
function laterThan(nowBlock: bigint, block: bigint | null): bigint | null {
  return block !== null && block <= nowBlock ? nowBlock + RETRY_TIMEOUT : block;
}

/** Nothing that comes before the channel is woken puts off what is due: a partner chooses when secrets are registered. */
function noLater(
  { wakeBlock: before }: ChannelContext,
  next: bigint | null,
  nowBlock: bigint,
): bigint | null {
  return next !== null && before !== null && next > nowBlock ? earlier(before, next) : next;
}

/**
 * The block to wake up at after a close has failed. While the partner owes, the close is tried again after a while:
 * the account may have been short of gas.
 */
function wakeAfterFailedClose(channel: ChannelContext, nowBlock: bigint): bigint | null {
  return claimBlock(channel) === null ? openWakeBlock(channel) : nowBlock + RETRY_TIMEOUT;
}

function earlier(a: bigint | null, b: bigint): bigint {
  return a !== null && a < b ? a : b;
}

export const guards = {
  isClaimDue: when(isClaimDue, 'chain.block'),
  isUnasked: ({ context }: Checked) => context.closeRequest === null,
};

export const actions = {
  submitClose: on(submitClose, 'cmd.close'),
  joinClose: on(joinClose, 'cmd.close'),
  /** It is closed already: who asks all the same, as a leave does, wants it settled whatever that brings. */
  noteOrdered: on(() => ({ patch: { isOrdered: true }, effects: [] }), 'cmd.close'),
  refuseClose: on(refuseClose, 'chain.tx'),
  closeToClaim: onAny(closeToClaim),
  wakeInTime: onAny((channel, { nowBlock }) => ({
    patch: { wakeBlock: noLater(channel, laterThan(nowBlock, openWakeBlock(channel)), nowBlock) },
    effects: [],
  })),
  lookLater: onAny((channel, { nowBlock }) => ({
    patch: { wakeBlock: laterThan(nowBlock, openWakeBlock(channel)) },
    effects: [],
  })),
  claimLater: onAny((channel, { nowBlock }) => ({
    patch: { wakeBlock: wakeAfterFailedClose(channel, nowBlock) },
    effects: [],
  })),
};
