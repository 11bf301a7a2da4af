/**
 * What becomes of a closed channel on chain: the better proof is brought, the channel is settled, and what the
 * settlement leaves in the contract for the locks of both sides is unlocked. Protocol 4.1, 5.3 and 5.4.
 *
 * The hashes in a dispute are those in the contract, which may belong to an old proof: the settlement needs their
 * preimages, not our newest state.
 */

import { ZERO_HASH } from '../../src/basics/hex.ts';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import { withoutWithdraws } from '../../src/protocol/channel/channel-end.ts';
import { MARGIN } from '../../src/protocol/channel/expiration.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import { isSettleOrder, type SettledSide, settle } from '../../src/protocol/channel/settlement.ts';
import { only } from '../base/step.ts';
import type { Effect, Tx } from '../effects.ts';
import type { ChannelSettled } from '../events/chain.ts';
import {
  type ChannelContext,
  type ChannelStep,
  type Checked,
  type Dispute,
  on,
  onAny,
  when,
} from './context.ts';
import { closeNotices, settledNotice } from './notices.ts';
import { settleTimeoutAfter } from './settling.ts';

type Closed = Extract<ChannelLog, { type: 'chain.channelClosed' }>;
type Updated = Extract<ChannelLog, { type: 'chain.proofUpdated' }>;
type Unlocked = Extract<ChannelLog, { type: 'chain.channelUnlocked' }>;

/** Blocks between two tries of a close, a settlement or an unlock whose transaction failed. */
export const RETRY_TIMEOUT = 10n;

const orNull = (hash: `0x${string}`) => (hash === ZERO_HASH ? null : hash);

export function jobKey(channel: ChannelContext, kind: string): string {
  return `${kind}:${channel.id}:${channel.jobs}`;
}

/** What every transaction of the channel says; its key is that of the newest job. */
export function onChannel(channel: ChannelContext, kind: string, deadlineBlock: bigint | null) {
  const { id, tokenNetwork, channelId, partner } = channel;
  return { from: id, key: jobKey(channel, kind), deadlineBlock, tokenNetwork, channelId, partner };
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

/** The first block in which this node settles: the partner does it before, if it gets more. */
export function ownSettleBlock(channel: ChannelContext): bigint {
  return settleBlock(channel) + settleTimeoutAfter(channel);
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

function settleTx(channel: ChannelContext): Tx {
  const { dispute, id } = channel;
  return {
    type: 'tx.settle',
    ...onChannel(channel, 'settle', null),
    channel: id,
    ownHash: dispute?.ownHash ?? null,
    partnerHash: dispute?.partnerHash ?? null,
  };
}

function unlockEffects(channel: ChannelContext): Effect[] {
  const { dispute, id, unlocks, brings } = channel;
  return unlocks.flatMap((side): Effect[] => {
    const balanceHash = side === 'own' ? dispute?.ownHash : dispute?.partnerHash;
    const tx = onChannel(channel, `unlock-${side}`, null);
    return balanceHash == null
      ? []
      : [{ type: 'tx.unlock', ...tx, channel: id, side, balanceHash, brings: brings[side] }];
  });
}

/** The sides that are still to be unlocked after this log. */
function unlocksAfter(channel: ChannelContext, event: Unlocked) {
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

const SIDES = ['own', 'partner'] as const;
type Side = (typeof SIDES)[number];
/** The amounts that the contract keeps for the locks of each side. */
type Kept = Record<Side, bigint>;

/**
 * What the unlock of each side brings to this node: of its own locks what nobody has claimed, of the partner's what is
 * claimed. The contract refuses the unlock of a side for which it keeps nothing.
 */
function broughtBy(channel: ChannelContext, event: ChannelSettled): Kept {
  const { own, partner } = event.proofs;
  const kept = keptOf(channel, event);
  const back = own === null ? 0n : kept.own - (own.claimable ?? 0n);
  const paid = partner === null || kept.partner === 0n ? 0n : (partner.claimable ?? kept.partner);
  return { own: back > 0n ? back : 0n, partner: paid };
}

const thatPay = (brings: Kept): readonly Side[] => SIDES.filter((side) => brings[side] > 0n);

/** The sides whose locks this node unlocks: those that pay it anything. */
export const unlocksAfterSettle = (channel: ChannelContext, event: ChannelSettled) =>
  thatPay(broughtBy(channel, event));

/**
 * The secrethashes of those registered secrets that pay a lock of the partner: the proof that was settled may be
 * older than a lock.
 */
function registeredAfterSettle(
  channel: ChannelContext,
  event: ChannelSettled,
): ChannelContext['registered'] {
  const isPaid = unlocksAfterSettle(channel, event).includes('partner');
  const paid = isPaid ? (event.proofs.partner?.paid ?? []) : [];
  return channel.registered.filter((secrethash) => paid.includes(secrethash));
}

function keptOf(channel: ChannelContext, event: ChannelSettled): Kept {
  return (
    computed(channel, event) ?? {
      own: mostKept(channel, event, 'own'),
      partner: mostKept(channel, event, 'partner'),
    }
  );
}

/**
 * The amounts by the contract's arithmetic. Null when the proofs on chain or the dispute are not known, or when the
 * settlement did not pay what this arithmetic gives.
 */
function computed(channel: ChannelContext, event: ChannelSettled): Kept | null {
  const own = termsOf(channel, event, 'own');
  const partner = termsOf(channel, event, 'partner');
  if (channel.dispute === null || own === null || partner === null) return null;
  const isOwnFirst = isSettleOrder(own, partner);
  const [one, two] = isOwnFirst ? [own, partner] : [partner, own];
  const { amount1, amount2, locked1, locked2 } = settle(one, two);
  const [ownAmount, partnerAmount] = isOwnFirst ? [amount1, amount2] : [amount2, amount1];
  if (paidTo(event, channel.own) !== ownAmount) return null;
  if (paidTo(event, channel.partner) !== partnerAmount) return null;
  return isOwnFirst ? { own: locked1, partner: locked2 } : { own: locked2, partner: locked1 };
}

function termsOf(channel: ChannelContext, event: ChannelSettled, side: Side): SettledSide | null {
  const proof = event.proofs[side];
  if (proof === null) return null;
  const { deposit, withdrawn } = side === 'own' ? channel.ownEnd : channel.partnerEnd;
  const { transferred, locked } = proof;
  return { deposit, withdrawn, transferred, locked };
}

const paidTo = ({ participant1, amount1, amount2 }: ChannelSettled, address: string) =>
  participant1 === address ? amount1 : amount2;

/**
 * The most that can be kept for the locks of a side. It comes out of the other side's share: all of the locks when
 * that side was paid something besides, else no more than was paid to neither side.
 */
function mostKept(channel: ChannelContext, event: ChannelSettled, side: Side): bigint {
  const { own, partner, ownEnd, partnerEnd } = channel;
  const [sender, receiver] = side === 'own' ? [own, partner] : [partner, own];
  const root = event.participant1 === sender ? event.locksroot1 : event.locksroot2;
  const locked = event.proofs[side]?.locked ?? 0n;
  if ([ZERO_HASH, NO_LOCKS_ROOT].includes(root)) return 0n;
  if (paidTo(event, receiver) > 0n) return locked;
  const deposits = ownEnd.deposit + partnerEnd.deposit - ownEnd.withdrawn - partnerEnd.withdrawn;
  const kept = deposits - event.amount1 - event.amount2;
  return kept < locked ? kept : locked;
}

const NOBODY_WAITS = { closeRequest: null, deposit: null, withdraw: null } as const;

/** What this node has put in, with a deposit whose log came before the close and the end of its transaction after it. */
function fundedAtClose({ funded, deposit, ownEnd }: ChannelContext): bigint {
  return deposit !== null && ownEnd.deposit >= deposit.totalDeposit
    ? funded + deposit.added
    : funded;
}

/** Only the chain counts from now on; if the partner closed, the better proof is brought at once. */
function noteClosed(channel: ChannelContext, event: Closed): ChannelStep {
  const dispute = disputeAfterClose(channel, event);
  const ownEnd = withoutWithdraws(channel.ownEnd);
  const partnerEnd = withoutWithdraws(channel.partnerEnd);
  const funded = fundedAtClose(channel);
  const next = { ...channel, ownEnd, partnerEnd, dispute, funded, jobs: channel.jobs + 1 };
  const effects = [...closeNotices(next), ...updateEffects(next)];
  const wakeBlock = ownSettleBlock(next);
  return { patch: { ...next, wakeBlock, ...NOBODY_WAITS }, effects };
}

function noteUpdated({ dispute, own }: ChannelContext, event: Updated): ChannelStep {
  if (dispute === null) return { patch: {}, effects: [] };
  return { patch: { dispute: disputeAfterUpdate(dispute, own, event) }, effects: [] };
}

function submitUpdate(channel: ChannelContext): ChannelStep {
  const next = { ...channel, jobs: channel.jobs + 1, wakeBlock: ownSettleBlock(channel) };
  return { patch: next, effects: updateEffects(next) };
}

function submitSettle(channel: ChannelContext): ChannelStep {
  const next = { ...channel, jobs: channel.jobs + 1, wakeBlock: null };
  return { patch: next, effects: [settleTx(next)] };
}

function notePaid(channel: ChannelContext, event: ChannelSettled): ChannelStep {
  return { patch: { registered: registeredAfterSettle(channel, event) }, effects: [] };
}

function noteSettled(channel: ChannelContext, event: ChannelSettled): ChannelStep {
  const brings = broughtBy(channel, event);
  const patch = { unlocks: thatPay(brings), brings, wakeBlock: null };
  return { patch, effects: [settledNotice(channel)] };
}

function submitUnlocks(channel: ChannelContext): ChannelStep {
  const next = { ...channel, jobs: channel.jobs + 1, wakeBlock: null };
  return { patch: next, effects: unlockEffects(next) };
}

function noteUnlocked(channel: ChannelContext, event: Unlocked): ChannelStep {
  return { patch: { unlocks: unlocksAfter(channel, event) }, effects: [] };
}

function isFailedJob({ context, event }: Checked, { job }: { job: string }): boolean {
  const ended = only(event, 'chain.tx');
  return !ended.ok && ended.key === jobKey(context, job);
}

export const guards = {
  isFailedJob,
  /** Not of the settlement: the partner may have settled before. */
  isFailedUnlock: when((_, { ok, key }) => !ok && key.startsWith('unlock-'), 'chain.tx'),
  canSettle: ({ context, event }: Checked) => event.nowBlock >= ownSettleBlock(context),
  leavesLocks: when(
    (channel, event) => unlocksAfterSettle(channel, event).length > 0,
    'chain.channelSettled',
  ),
  isLastUnlock: when(
    (channel, event) => unlocksAfter(channel, event).length === 0,
    'chain.channelUnlocked',
  ),
};

export const actions = {
  noteClosed: on(noteClosed, 'chain.channelClosed'),
  noteUpdated: on(noteUpdated, 'chain.proofUpdated'),
  submitUpdate: onAny(submitUpdate),
  submitSettle: onAny(submitSettle),
  tryLater: onAny((channel, { nowBlock }) => ({
    patch: { wakeBlock: retryBlock(channel, nowBlock) },
    effects: [],
  })),
  notePaid: on(notePaid, 'chain.channelSettled'),
  noteSettled: on(noteSettled, 'chain.channelSettled'),
  submitUnlocks: onAny(submitUnlocks),
  noteUnlocked: on(noteUnlocked, 'chain.channelUnlocked'),
};
