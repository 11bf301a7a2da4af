/**
 * What an actor has to do, and by which block. Every block here is one that the node itself uses: the machines'
 * wake blocks, and the rules of src/protocol/channel/expiration.ts and machines/channel/dispute.ts. Heights are confirmed
 * blocks.
 */

import {
  channelTags,
  keeperTags,
  mediatorTags,
  type Tags,
  targetTags,
  withdrawalTags,
} from '../../../machines/tags.ts';
import {
  dangerBlock,
  receiverRemovalBlock,
  senderRemovalBlock,
} from '../../protocol/channel/expiration.ts';
import type { Seen, SeenOf } from '../replay/contexts.ts';
import type { Deadline } from '../wire.ts';
import { channelDeadlines, type SeenActor, type WhyWaits } from './channel-deadlines.ts';
import { deadline } from './deadline.ts';
import { keeperPlan } from './keeper-plans.ts';
import { initiatorPlan, payeePlan, payerPlan, targetPlan } from './payment-plans.ts';

/**
 * All deadlines of an actor. `seen` finds other actors of the node: what happens to a lock is up to the actor of
 * its payment. `whyWaits`: absent: nothing waits.
 */
export function deadlinesOf(
  actor: Seen,
  seen: SeenActor,
  whyWaits: WhyWaits = () => null,
): Deadline[] {
  switch (actor.kind) {
    case 'channel':
      return channelDeadlines(actor, seen, whyWaits);
    case 'initiator':
      return initiatorDeadlines(actor);
    case 'mediator':
      return mediatorDeadlines(actor);
    case 'target':
      return targetDeadlines(actor);
    case 'keeper':
      return keeperDeadlines(actor);
    case 'withdrawal':
      return withdrawalDeadlines(actor);
    case 'userDeposit': {
      const { plan: planned } = actor.context;
      return planned === null ? [] : [plan(planned.amount, planned.withdrawBlock)];
    }
    case 'tokenNetwork':
      return actor.context.wakeBlock === null ? [] : [leave(actor.context.wakeBlock)];
    case 'node':
      return [];
  }
}

function withdrawalDeadlines({ value, context }: SeenOf<'withdrawal'>): Deadline[] {
  const { amount, withdrawBlock } = context;
  const isWaiting = withdrawalTags(value).has('canBeTakenOut') && withdrawBlock !== null;
  return isWaiting ? [plan(amount, withdrawBlock)] : [];
}

function initiatorDeadlines(actor: SeenOf<'initiator'>): Deadline[] {
  const { order, expiration: expiryBlock } = actor.context;
  const { secrethash, lockAmount: amount } = order;
  const planned = initiatorPlan(actor);
  if (planned === null) return [];
  return [deadline('payment', { ...planned, secrethash, side: 'own', amount, expiryBlock })];
}

function targetDeadlines(actor: SeenOf<'target'>): Deadline[] {
  const { secrethash, amount, expiration: expiryBlock, revealTimeout } = actor.context;
  const planned = targetPlan(actor);
  const lock = { secrethash, side: 'partner', amount, expiryBlock } as const;
  const unsafe = { dangerBlock: dangerBlock(expiryBlock, revealTimeout) };
  return planned === null ? [] : [deadline('payment', { ...planned, ...lock, ...unsafe })];
}

function keeperDeadlines(actor: SeenOf<'keeper'>): Deadline[] {
  const { secrethash, side, amount, expiration: expiryBlock } = actor.context;
  const planned = keeperPlan(actor);
  const lock = { secrethash, side, amount, expiryBlock } as const;
  return planned === null ? [] : [deadline('payment', { ...planned, ...lock })];
}

function mediatorDeadlines(actor: SeenOf<'mediator'>): Deadline[] {
  const { secrethash, amount, expiration: expiryBlock, payer, payee, payeeBlock } = actor.context;
  const lock = { secrethash, expiryBlock };
  const found: Deadline[] = [];
  const incoming = payerPlan(actor);
  if (incoming !== null)
    found.push(
      deadline('payment', {
        ...incoming,
        ...lock,
        side: 'partner',
        amount,
        dangerBlock: dangerBlock(expiryBlock, payer.revealTimeout),
      }),
    );
  const outgoing = payeePlan(actor);
  if (outgoing !== null)
    found.push(
      deadline('payment', { ...outgoing, ...lock, side: 'own', amount: payee?.amount ?? null }),
    );
  if (mediatorTags(actor.value).has('looksForHop')) {
    const action = `Asks the next nodes again at #${payeeBlock}: none has taken the transfer yet.`;
    found.push(deadline('payment', { action, actionBlock: payeeBlock, secrethash }));
  }
  return found;
}

function plan(amount: bigint, withdrawBlock: bigint): Deadline {
  const action = `The planned withdrawal can be made from #${withdrawBlock} on.`;
  return deadline('plan', { action, actionBlock: withdrawBlock, amount });
}

function leave(wakeBlock: bigint): Deadline {
  const action = `Asks the channels once more at #${wakeBlock} that could not be closed.`;
  return deadline('leave', { action, actionBlock: wakeBlock });
}

/**
 * The nearest block at which something is due, from the actor alone; null when nothing is. For a lock of the
 * partner this is its expiration: the block at which its secret must be on chain is a deadline of the payment's
 * actor.
 */
export function deadlineOf(actor: Seen): bigint | null {
  const { kind, value, context } = actor;
  switch (kind) {
    case 'channel':
      return nearest(channelBlocks(actor));
    case 'initiator':
      // An initiator is spawned with a wake block for its first turn, which is no deadline.
      return initiatorPlan(actor) === null ? null : context.wakeBlock;
    case 'target':
      return targetPlan(actor) === null ? null : lockBlock(targetTags(value), context);
    case 'mediator':
      return mediatorTags(value).has('isRegistering')
        ? nearest([context.wakeBlock ?? context.expiration, context.expiration])
        : context.wakeBlock;
    case 'keeper':
      return lockBlock(keeperTags(value), context);
    case 'tokenNetwork':
      return context.wakeBlock;
    // A planned withdrawal may be carried out from its block on: nothing is lost by waiting.
    case 'withdrawal':
    case 'userDeposit':
    case 'node':
      return null;
  }
}

/** While the secret is being registered there may be no wake block: then the lock's expiration is what is due. */
function lockBlock(
  tags: Tags<'isRegistering'>,
  { wakeBlock, expiration }: SeenOf<'target' | 'keeper'>['context'],
) {
  return tags.has('isRegistering') ? (wakeBlock ?? expiration) : wakeBlock;
}

function channelBlocks({ value, context }: SeenOf<'channel'>): (bigint | null)[] {
  const { ownEnd, partnerEnd, registered, confirmations, wakeBlock } = context;
  const tags = channelTags(value);
  if (!tags.has('isUnsettled')) return [wakeBlock];
  const isPaying = tags.has('isUnclosed') && !tags.has('isFrozen');
  return [
    wakeBlock,
    ...ownEnd.locks.map(({ expiration }) =>
      isPaying ? senderRemovalBlock(expiration, confirmations) : null,
    ),
    ...partnerEnd.locks.map(({ expiration, secrethash }) =>
      registered.includes(secrethash) ? null : expiration,
    ),
    ...partnerEnd.withdraws.map(({ expiration }) =>
      receiverRemovalBlock(expiration, confirmations),
    ),
  ];
}

function nearest(blocks: readonly (bigint | null)[]): bigint | null {
  return blocks.reduce(
    (least, block) => (least === null || (block !== null && block < least) ? block : least),
    null,
  );
}
