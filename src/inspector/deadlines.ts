/**
 * What has to happen until when. Every block here is one that the node itself goes by: the machines'
 * wake blocks, and the rules of src/protocol/expiration.ts and machines/channel/dispute.ts. Heights are
 * confirmed blocks.
 */
import type { ChannelContext } from '../../machines/channel/context.ts';
import type { KeeperContext } from '../../machines/keeper/chart.ts';
import type { MediatorContext } from '../../machines/mediator/context.ts';
import type { Kind } from '../node/runtime/kinds.ts';
import { receiverRemovalBlock, senderRemovalBlock } from '../protocol/expiration.ts';
import { channelDeadlines, type SeenActor } from './channel-deadlines.ts';
import {
  isChannel,
  isInitiator,
  isKeeper,
  isMediator,
  isTarget,
  isTokenNetwork,
  isUserDeposit,
  isWithdrawal,
  type Seen,
} from './contexts.ts';
import { deadline } from './deadline.ts';
import { keeperPlan } from './keeper-plans.ts';
import { initiatorPlan, payeePlan, payerPlan, regionOf, targetPlan } from './payment-plans.ts';
import type { Deadline } from './wire.ts';

/** All deadlines of an actor. `seen` gives the other actors of the node: locks are acted on by payments. */
export function deadlinesOf(actor: Seen, seen: SeenActor): Deadline[] {
  const { kind, state, context } = actor;
  switch (kind) {
    case 'channel':
      return isChannel(context) ? channelDeadlines(state, context, seen) : [];
    case 'initiator':
    case 'mediator':
    case 'target':
      return paymentDeadlines(state, context);
    case 'keeper':
      return isKeeper(context) ? keeperDeadlines(state, context) : [];
    case 'withdrawal':
      return isWithdrawal(context) && state === 'planned' && context.withdrawBlock !== null
        ? [plan(context.amount, context.withdrawBlock)]
        : [];
    case 'userDeposit':
      return isUserDeposit(context) && context.plan !== null
        ? [plan(context.plan.amount, context.plan.withdrawBlock)]
        : [];
    case 'tokenNetwork':
      return isTokenNetwork(context) && context.wakeBlock !== null
        ? [leave(context.wakeBlock)]
        : [];
    case 'node':
      return [];
  }
}

function paymentDeadlines(state: string, context: unknown): Deadline[] {
  if (isMediator(context)) return mediatorDeadlines(state, context);
  if (isInitiator(context)) {
    const { secrethash, lockAmount: amount } = context.order;
    const { expiration: expiryBlock } = context;
    const planned = initiatorPlan(state, context);
    return planned === null
      ? []
      : [deadline('payment', { ...planned, secrethash, side: 'own', amount, expiryBlock })];
  }
  if (!isTarget(context)) return [];
  const { secrethash, amount, expiration: expiryBlock, revealTimeout } = context;
  const planned = targetPlan(state, context);
  const lock = { secrethash, side: 'partner', amount, expiryBlock } as const;
  const dangerBlock = expiryBlock - revealTimeout;
  return planned === null ? [] : [deadline('payment', { ...planned, ...lock, dangerBlock })];
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
  const dangerBlock = expiryBlock - payer.revealTimeout;
  if (incoming !== null)
    found.push(deadline('payment', { ...incoming, ...lock, side: 'partner', amount, dangerBlock }));
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
 * The nearest block at which something is due, from the actor alone; null without one. Of a lock of the
 * partner it is its expiration: whether and when its secret has to go on chain is its payment's deadline.
 */
export function deadlineOf(kind: Kind, state: string, context: unknown): bigint | null {
  switch (kind) {
    case 'channel':
      return isChannel(context) ? nearest(channelBlocks(state, context)) : null;
    case 'initiator':
      // Born awake, which is no deadline yet.
      return isInitiator(context) && initiatorPlan(state, context) !== null
        ? context.wakeBlock
        : null;
    case 'target':
      if (!isTarget(context) || targetPlan(state, context) === null) return null;
      return state === 'registering'
        ? (context.wakeBlock ?? context.expiration)
        : context.wakeBlock;
    case 'mediator':
      if (!isMediator(context)) return null;
      return regionOf(state, 'payer') === 'unpaid.registering'
        ? nearest([context.wakeBlock ?? context.expiration, context.expiration])
        : context.wakeBlock;
    case 'keeper':
      if (!isKeeper(context)) return null;
      return state === 'registering'
        ? (context.wakeBlock ?? context.expiration)
        : context.wakeBlock;
    case 'tokenNetwork':
      return isTokenNetwork(context) ? context.wakeBlock : null;
    // A plan may be used from its block on: nothing is lost by waiting.
    case 'withdrawal':
    case 'userDeposit':
    case 'node':
      return null;
  }
}

function channelBlocks(state: string, channel: ChannelContext): (bigint | null)[] {
  const { ownEnd, partnerEnd, registered, confirmations, wakeBlock } = channel;
  const [word] = state.split('.', 1);
  if (word === 'claiming' || word === 'gone') return [wakeBlock];
  const isOpen = word === 'opened' || word === 'closing';
  return [
    wakeBlock,
    ...ownEnd.locks.map(({ expiration }) =>
      isOpen ? senderRemovalBlock(expiration, confirmations) : null,
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
