/**
 * A partner that owes: the secret of its lock stands on chain in time and it does not unlock. The claim is
 * good for ever, but only a closed channel pays it, and until then its tokens and its slot are bound: when
 * the partner has had its time, the channel closes by itself, settles, and unlocks the lock.
 *
 * No money depends on when: a registered secret does not run out. What the close takes from a partner that
 * was only away is the open channel; whatever it owns in it is paid out.
 */
import { senderRemovalBlock } from '../../src/protocol/expiration.ts';
import type { Close } from '../events/commands.ts';
import type { Step } from '../step.ts';
import type { ChannelContext } from './context.ts';
import { closeTx, RETRY_TIMEOUT } from './dispute.ts';

type ChannelStep = Step<ChannelContext>;

/**
 * Blocks that a partner has after the expiration of its lock, to come back, see the secret on chain, and
 * unlock: twice the confirmations, which both nodes may lag behind, and this channel's reveal timeout, which
 * is what this node itself is given to act in.
 */
const graceOf = ({ confirmations, revealTimeout }: ChannelContext): bigint =>
  2n * confirmations + revealTimeout;

/** The first block in which the channel is closed for what its partner owes; null: it owes nothing. */
export function claimBlock(channel: ChannelContext): bigint | null {
  const { registered, partnerEnd } = channel;
  if (registered.length === 0) return null;
  const known = new Set(registered);
  return partnerEnd.locks
    .filter(({ secrethash }) => known.has(secrethash))
    .map(({ expiration }) => expiration + graceOf(channel))
    .reduce<bigint | null>(earlier, null);
}

export function isClaimDue(channel: ChannelContext, nowBlock: bigint): boolean {
  const block = claimBlock(channel);
  return block !== null && nowBlock >= block;
}

/** When an open channel has something to do: take its own withdraw back, or claim what its partner owes. */
export function openWakeBlock(channel: ChannelContext): bigint | null {
  const { withdraw, confirmations } = channel;
  const lapse = withdraw === null ? null : senderRemovalBlock(withdraw.expiration, confirmations);
  return lapse === null ? claimBlock(channel) : earlier(claimBlock(channel), lapse);
}

/** Closes without having been asked. */
export function closeToClaim(channel: ChannelContext): ChannelStep {
  const next = { ...channel, jobs: channel.jobs + 1 };
  return { patch: next, effects: [closeTx(next)] };
}

/** A caller asks for a close that the node has already begun. */
export function joinClose(_: ChannelContext, { requestId }: Close): ChannelStep {
  return { patch: { closeRequest: requestId }, effects: [] };
}

/**
 * The close failed. When no caller asked for it, it is tried again after a while: the account may
 * have been short of gas.
 */
export function wakeAfterFailedClose(channel: ChannelContext, nowBlock: bigint): bigint | null {
  return claimBlock(channel) === null ? openWakeBlock(channel) : nowBlock + RETRY_TIMEOUT;
}

function earlier(a: bigint | null, b: bigint): bigint {
  return a !== null && a < b ? a : b;
}
