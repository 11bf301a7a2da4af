/**
 * What a channel does on chain: close, bring the better proof, settle, unlock. Protocol 4.1 and 5.3.
 *
 * The hashes in a dispute are those in the contract, which may belong to an old proof: the settlement needs their
 * preimages, not our newest state.
 */

import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import { MARGIN } from '../../src/protocol/channel/expiration.ts';
import { ZERO_HASH } from '../../src/protocol/hex.ts';
import type { Effect, Tx } from '../effects.ts';
import type { ChannelContext, Dispute } from './context.ts';

type Closed = Extract<ChannelLog, { type: 'chain.channelClosed' }>;
type Updated = Extract<ChannelLog, { type: 'chain.proofUpdated' }>;
type Unlocked = Extract<ChannelLog, { type: 'chain.channelUnlocked' }>;

/** Blocks between two tries of a close, a settlement or an unlock whose transaction failed. */
export const RETRY_TIMEOUT = 10n;

const orNull = (hash: `0x${string}`) => (hash === ZERO_HASH ? null : hash);

export function jobKey(channel: ChannelContext, kind: string): string {
  return `${kind}:${channel.id}:${channel.jobs}`;
}

function onChannel(channel: ChannelContext, kind: string, deadlineBlock: bigint | null) {
  const { id, tokenNetwork, channelId, partner } = channel;
  return { from: id, key: jobKey(channel, kind), deadlineBlock, tokenNetwork, channelId, partner };
}

export function closeTx(channel: ChannelContext): Tx {
  return { type: 'tx.close', ...onChannel(channel, 'close', null), proof: channel.partnerProof };
}

/** A close brings the proof of the side that did not close: ours when the partner closed, the partner's when we did. */
export function disputeAfterClose(channel: ChannelContext, event: Closed): Dispute {
  const byUs = event.closer === channel.own;
  const hash = orNull(event.balanceHash);
  return {
    closer: event.closer,
    closeBlock: event.at.block,
    ownHash: byUs ? null : hash,
    partnerHash: byUs ? hash : null,
  };
}

/** An update brings the proof that the closer signed. */
export function disputeAfterUpdate(dispute: Dispute, own: string, event: Updated): Dispute {
  const hash = orNull(event.balanceHash);
  return event.closer === own ? { ...dispute, ownHash: hash } : { ...dispute, partnerHash: hash };
}

/** The first block in which the contract lets a closed channel be settled. */
export function settleBlock(channel: ChannelContext): bigint {
  return (channel.dispute?.closeBlock ?? 0n) + channel.settleTimeout + 1n;
}

/**
 * When the partner closed, this node brings the partner's newest proof; otherwise the partner keeps what it paid us
 * by that proof.
 */
export function updateEffects(channel: ChannelContext): Effect[] {
  const { dispute, partnerProof } = channel;
  if (dispute === null || dispute.closer === channel.own || partnerProof === null) return [];
  if ([ZERO_HASH, dispute.partnerHash].includes(partnerProof.balanceHash)) return [];
  const deadline = settleBlock(channel) - 1n;
  return [
    { type: 'tx.updateProof', ...onChannel(channel, 'update', deadline), proof: partnerProof },
  ];
}

export function settleTx(channel: ChannelContext): Tx {
  const { dispute, id } = channel;
  return {
    type: 'tx.settle',
    ...onChannel(channel, 'settle', null),
    channel: id,
    ownHash: dispute?.ownHash ?? null,
    partnerHash: dispute?.partnerHash ?? null,
  };
}

export function unlockEffects(channel: ChannelContext): Effect[] {
  const { dispute, id, unlocks } = channel;
  return unlocks.flatMap((side): Effect[] => {
    const balanceHash = side === 'own' ? dispute?.ownHash : dispute?.partnerHash;
    const tx = onChannel(channel, `unlock-${side}`, null);
    return balanceHash == null
      ? []
      : [{ type: 'tx.unlock', ...tx, channel: id, side, balanceHash }];
  });
}

/** The sides that are still to be unlocked after this log. */
export function unlocksAfter(channel: ChannelContext, event: Unlocked) {
  const done = event.sender === channel.own ? 'own' : 'partner';
  return channel.unlocks.filter((side) => side !== done);
}

/**
 * The block at which a failed transaction is tried again: after `RETRY_TIMEOUT`, or already at the next block when a
 * later try might be mined only after the first block in which the channel can be settled. The confirmed block is
 * behind the chain's newest one, and mining takes time, too.
 */
export function retryBlock(channel: ChannelContext, nowBlock: bigint): bigint {
  const next = nowBlock + RETRY_TIMEOUT;
  const end = settleBlock(channel);
  const isLate = end <= next + channel.confirmations + MARGIN;
  return nowBlock < end && isLate ? nowBlock + 1n : next;
}
