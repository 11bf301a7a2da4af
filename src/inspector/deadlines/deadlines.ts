/**
 * What an actor has to do, and by which block. Every block here is one that the node itself uses: the machines'
 * wake blocks, and the rules of src/protocol/channel/expiration.ts and machines/channel/dispute.ts. Heights are confirmed
 * blocks.
 */

import type { ChannelContext } from '../../../machines/channel/context.ts';
import { phaseOf } from '../../../machines/channel/phase.ts';
import type { InitiatorContext } from '../../../machines/initiator/context.ts';
import type { KeeperContext } from '../../../machines/keeper/context.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import type { TargetContext } from '../../../machines/target/context.ts';
import {
  dangerBlock,
  receiverRemovalBlock,
  senderRemovalBlock,
} from '../../protocol/channel/expiration.ts';
import type { Seen } from '../replay/contexts.ts';
import type { Deadline } from '../wire.ts';
import { channelDeadlines, type SeenActor } from './channel-deadlines.ts';
import { deadline } from './deadline.ts';
import { keeperPlan } from './keeper-plans.ts';
import { initiatorPlan, payeePlan, payerPlan, regionOf, targetPlan } from './payment-plans.ts';

/**
 * All deadlines of an actor. `seen` finds other actors of the node: what happens to a lock is up to the actor of
 * its payment.
 */
export function deadlinesOf({ kind, state, context }: Seen, seen: SeenActor): Deadline[] {
  switch (kind) {
    case 'channel':
      return channelDeadlines(state, context, seen);
    case 'initiator':
      return initiatorDeadlines(state, context);
    case 'mediator':
      return mediatorDeadlines(state, context);
    case 'target':
      return targetDeadlines(state, context);
    case 'keeper':
      return keeperDeadlines(state, context);
    case 'withdrawal':
      return state === 'planned' && context.withdrawBlock !== null
        ? [plan(context.amount, context.withdrawBlock)]
        : [];
    case 'userDeposit':
      return context.plan === null ? [] : [plan(context.plan.amount, context.plan.withdrawBlock)];
    case 'tokenNetwork':
      return context.wakeBlock === null ? [] : [leave(context.wakeBlock)];
    case 'node':
      return [];
  }
}

function initiatorDeadlines(state: string, payment: InitiatorContext): Deadline[] {
  const { secrethash, lockAmount: amount } = payment.order;
  const { expiration: expiryBlock } = payment;
  const planned = initiatorPlan(state, payment);
  if (planned === null) return [];
  return [deadline('payment', { ...planned, secrethash, side: 'own', amount, expiryBlock })];
}

function targetDeadlines(state: string, payment: TargetContext): Deadline[] {
  const { secrethash, amount, expiration: expiryBlock, revealTimeout } = payment;
  const planned = targetPlan(state, payment);
  const lock = { secrethash, side: 'partner', amount, expiryBlock } as const;
  const unsafe = { dangerBlock: dangerBlock(expiryBlock, revealTimeout) };
  return planned === null ? [] : [deadline('payment', { ...planned, ...lock, ...unsafe })];
}

function keeperDeadlines(state: string, keeper: KeeperContext): Deadline[] {
  const { secrethash, side, amount, expiration: expiryBlock } = keeper;
  const planned = keeperPlan(state, keeper);
  const lock = { secrethash, side, amount, expiryBlock } as const;
  return planned === null ? [] : [deadline('payment', { ...planned, ...lock })];
}

function mediatorDeadlines(state: string, mediator: MediatorContext): Deadline[] {
  const { secrethash, amount, expiration: expiryBlock, payer, payee, payeeBlock } = mediator;
  const lock = { secrethash, expiryBlock };
  const found: Deadline[] = [];
  const incoming = payerPlan(state, mediator);
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
  const outgoing = payeePlan(state, mediator);
  if (outgoing !== null)
    found.push(
      deadline('payment', { ...outgoing, ...lock, side: 'own', amount: payee?.amount ?? null }),
    );
  if (regionOf(state, 'payee') === 'waiting') {
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
export function deadlineOf({ kind, state, context }: Seen): bigint | null {
  switch (kind) {
    case 'channel':
      return nearest(channelBlocks(state, context));
    case 'initiator':
      // An initiator is spawned with a wake block for its first turn, which is no deadline.
      return initiatorPlan(state, context) === null ? null : context.wakeBlock;
    case 'target':
      return targetPlan(state, context) === null ? null : lockBlock(state, context);
    case 'mediator':
      return regionOf(state, 'payer') === 'unpaid.registering'
        ? nearest([context.wakeBlock ?? context.expiration, context.expiration])
        : context.wakeBlock;
    case 'keeper':
      return lockBlock(state, context);
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
function lockBlock(state: string, { wakeBlock, expiration }: TargetContext | KeeperContext) {
  return state === 'registering' ? (wakeBlock ?? expiration) : wakeBlock;
}

function channelBlocks(state: string, channel: ChannelContext): (bigint | null)[] {
  const { ownEnd, partnerEnd, registered, confirmations, wakeBlock } = channel;
  const phase = phaseOf(state);
  if (phase === 'claiming' || phase === 'gone') return [wakeBlock];
  const isPaying = phase === 'opened' || phase === 'closing';
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
