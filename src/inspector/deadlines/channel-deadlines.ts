/** The deadlines of a channel: its locks, its close, its withdrawals. See deadlines.ts. */

import { claimBlock } from '../../../machines/channel/closing.ts';
import type { ChannelContext, ChannelTag } from '../../../machines/channel/context.ts';
import { ownSettleBlock, settleBlock, updateEffects } from '../../../machines/channel/dispute.ts';
import { keeperId, type LockSide } from '../../../machines/keeper/keeping.ts';
import { channelTags, type Tags } from '../../../machines/tags.ts';
import {
  dangerBlock,
  receiverRemovalBlock,
  senderRemovalBlock,
} from '../../protocol/channel/expiration.ts';
import type { Lock } from '../../protocol/channel/lock.ts';
import type { Seen, SeenOf } from '../replay/contexts.ts';
import type { Deadline } from '../wire.ts';
import { deadline } from './deadline.ts';
import { keeperPlan } from './keeper-plans.ts';
import { initiatorPlan, type LockPlan, payeePlan, payerPlan, targetPlan } from './payment-plans.ts';

/** An actor of the same node by its id, or null. */
export type SeenActor = (id: string) => Seen | null;
/** Why what the channel wants to send is not sent now; null: it is sent; undefined: nobody here knows. */
type Why = string | null | undefined;
export type WhyWaits = (type: 'tx.settle' | 'tx.unlock') => Why;
type ChannelTags = Tags<ChannelTag>;

export function channelDeadlines(
  { value, context: channel }: SeenOf<'channel'>,
  seen: SeenActor,
  whyWaits: WhyWaits,
): Deadline[] {
  const tags = channelTags(value);
  const { ownEnd, partnerEnd } = channel;
  if (!tags.has('holdsMoney')) return [];
  if (!tags.has('isUnsettled')) return unlockDeadlines(channel, whyWaits('tx.unlock'));
  return [
    ...(tags.has('isUnclosed') ? [] : closeDeadlines(tags, channel, whyWaits('tx.settle'))),
    ...partnerEnd.locks.map((lock) => partnerLock(tags, channel, lock, seen)),
    ...ownEnd.locks.map((lock) => ownLock(tags, channel, lock, seen)),
    ...withdrawDeadlines(channel),
  ];
}

/** The deadline of a lock that pays this node: it is lost unless the secret is known and used in time. */
function partnerLock(
  tags: ChannelTags,
  channel: ChannelContext,
  lock: Lock,
  seen: SeenActor,
): Deadline {
  const { secrethash, amount, expiration: expiryBlock } = lock;
  const facts = { secrethash, side: 'partner', amount, expiryBlock } as const;
  if (channel.registered.includes(secrethash))
    return deadline('lock', { ...facts, ...claimPlan(tags, channel), expiryBlock: null });
  const found = payeeOf(channel, lock, seen);
  const held = keptPlan(channel, 'partner', lock, seen) ?? UNCLAIMED;
  return deadline('lock', { ...facts, ...(found ?? held) });
}

/** All locks whose secret is on chain are claimed with one close, at the block that the earliest of them asks for. */
function claimPlan(tags: ChannelTags, channel: ChannelContext): LockPlan {
  const actionBlock = claimBlock(channel);
  if (!tags.has('takesLocks') || actionBlock === null) return ON_CHAIN;
  const action = `The secret is on chain in time: unless the partner unlocks it, the channel is closed at #${actionBlock} to claim it.`;
  return { action, actionBlock };
}
const ON_CHAIN: LockPlan = {
  action:
    'The secret is on chain in time: the partner unlocks it, or it is claimed after the close.',
  actionBlock: null,
};
/** What the keeper actor of a lock plans. */
function keptPlan(
  channel: ChannelContext,
  side: LockSide,
  lock: Lock,
  seen: SeenActor,
): LockPlan | null {
  const keeper = seen(keeperId(channel.id, side, lock.secrethash));
  return keeper?.kind === 'keeper' ? keeperPlan(keeper) : null;
}

const UNCLAIMED: LockPlan = {
  action: 'No payment of this node takes it: it is held until the partner takes it back.',
  actionBlock: null,
};

/** The payment that a lock of the partner pays, with the reveal timeout that was chosen for it. */
function payeeOf(
  channel: ChannelContext,
  { secrethash }: Lock,
  seen: SeenActor,
): (LockPlan & { dangerBlock: bigint }) | null {
  const target = seen(`target:${secrethash}`);
  if (target?.kind === 'target' && target.context.channel === channel.id) {
    const { expiration, revealTimeout } = target.context;
    const plan = targetPlan(target);
    return plan === null ? null : { ...plan, dangerBlock: dangerBlock(expiration, revealTimeout) };
  }
  const mediator = seen(`mediator:${secrethash}`);
  if (mediator?.kind !== 'mediator') return null;
  const { payer, expiration } = mediator.context;
  if (payer.channel !== channel.id) return null;
  const plan = payerPlan(mediator);
  return plan === null
    ? null
    : { ...plan, dangerBlock: dangerBlock(expiration, payer.revealTimeout) };
}

/** A lock that this node pays with. */
function ownLock(
  tags: ChannelTags,
  channel: ChannelContext,
  lock: Lock,
  seen: SeenActor,
): Deadline {
  const { secrethash, amount, expiration: expiryBlock } = lock;
  const plan = tags.has('signsForLocks')
    ? payingPlan(channel, lock, seen)
    : frozenPlan(tags, channel, lock);
  return deadline('lock', { ...plan, secrethash, side: 'own', amount, expiryBlock });
}

function payingPlan(channel: ChannelContext, lock: Lock, seen: SeenActor): LockPlan {
  const { secrethash, expiration } = lock;
  const initiator = seen(`initiator:${secrethash}`);
  if (initiator?.kind === 'initiator') {
    const plan = initiatorPlan(initiator);
    if (plan !== null && initiator.context.order.channel === channel.id) return plan;
  }
  const mediator = seen(`mediator:${secrethash}`);
  if (mediator?.kind === 'mediator') {
    const plan = payeePlan(mediator);
    if (plan !== null && mediator.context.payee?.channel === channel.id) return plan;
  }
  const kept = keptPlan(channel, 'own', lock, seen);
  if (kept !== null) return kept;
  const actionBlock = senderRemovalBlock(expiration, channel.confirmations);
  return { action: `Takes the lock back at #${actionBlock}.`, actionBlock };
}

/** The plan for a lock in a channel where nothing more is signed: only the chain decides about it. */
function frozenPlan(tags: ChannelTags, channel: ChannelContext, lock: Lock): LockPlan {
  if (tags.has('isUnclosed'))
    return { action: 'Nothing is signed here any more: close the channel.', actionBlock: null };
  return channel.registered.includes(lock.secrethash)
    ? { action: 'The secret is on chain in time: the partner gets it.', actionBlock: null }
    : {
        action: `Comes back after the settlement, unless the secret is registered before #${lock.expiration}.`,
        actionBlock: null,
      };
}

/** `why`: the transaction waits for this reason; null: it does not wait; undefined: nobody here knows. */
function sentOrNot(what: string, why: Why): string {
  if (why === undefined) return `${what} is on its way, or waits until it is worth its gas.`;
  return why === null ? `${what} is on its way.` : `${what} is not sent now: ${why}.`;
}

function closeDeadlines(tags: ChannelTags, channel: ChannelContext, why: Why): Deadline[] {
  const { wakeBlock, partnerProof } = channel;
  const end = settleBlock(channel);
  if (!tags.has('takesProofs')) {
    const action =
      wakeBlock === null ? sentOrNot('The settlement', why) : `Settles once more at #${wakeBlock}.`;
    return [deadline('settle', { action, actionBlock: wakeBlock })];
  }
  const turn = ownSettleBlock(channel);
  const settling = deadline('settle', { action: `Settles at #${turn}.`, actionBlock: turn });
  if (updateEffects(channel).length === 0) return [settling];
  const isAgain = wakeBlock !== null && wakeBlock < end;
  const action = `${isAgain ? `Brings again at #${wakeBlock}` : 'Brings'} the newest balance proof of the partner (nonce ${partnerProof?.nonce}) on chain; it has to be mined before #${end}.`;
  const actionBlock = isAgain ? wakeBlock : null;
  return [deadline('update', { action, actionBlock, expiryBlock: end }), settling];
}

function unlockDeadlines({ unlocks, wakeBlock, ...channel }: ChannelContext, why: Why): Deadline[] {
  return unlocks.map((side) => {
    const { locked: amount } = side === 'own' ? channel.ownEnd : channel.partnerEnd;
    const action =
      wakeBlock === null
        ? sentOrNot('The unlock of what the settlement left', why)
        : `Unlocks what the settlement left once more at #${wakeBlock}.`;
    return deadline('unlock', { action, actionBlock: wakeBlock, side, amount });
  });
}

function withdrawDeadlines(channel: ChannelContext): Deadline[] {
  const { withdraw, ownEnd, partnerEnd, confirmations } = channel;
  const found: Deadline[] = [];
  if (withdraw !== null) {
    const { expiration: expiryBlock, job } = withdraw;
    const actionBlock = senderRemovalBlock(expiryBlock, confirmations);
    const waiting =
      job === null ? 'Waits for the consent of the partner' : 'The transaction is on its way';
    found.push(
      deadline('withdraw', {
        action: `${waiting}; takes the amount back at #${actionBlock} if it is not on chain.`,
        actionBlock,
        expiryBlock,
        side: 'own',
        amount: withdraw.totalWithdraw - ownEnd.withdrawn,
      }),
    );
  }
  for (const { totalWithdraw, expiration: expiryBlock } of partnerEnd.withdraws) {
    const actionBlock = receiverRemovalBlock(expiryBlock, confirmations);
    found.push(
      deadline('withdraw', {
        action: `The amount is kept for the partner's withdrawal; from #${actionBlock} on the partner can give it up.`,
        actionBlock,
        expiryBlock,
        side: 'partner',
        amount: totalWithdraw - partnerEnd.withdrawn,
      }),
    );
  }
  return found;
}
