/**
 * One attempt at a payment that this node starts, over one route.
 *
 * Rules: protocol section 4.3. The attempt ends paid when the unlock is signed (or the secret is on chain in time),
 * else failed when the lock has expired and no other route is left. The secret is revealed only for a valid request
 * of the target, and another attempt follows only if the secret was never revealed.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import type { InitiatorInput } from '../inputs.ts';
import { binding, inOrder, only, take } from '../step.ts';
import * as attempts from './attempts.ts';
import type { InitiatorContext, InitiatorEvent } from './context.ts';
import * as lock from './lock.ts';
import * as outcome from './outcome.ts';
import * as secret from './secret.ts';

const { on } = binding<InitiatorContext, Stamped<InitiatorEvent>>();

export const initiatorMachine = setup({
  types: {
    context: {} as InitiatorContext,
    events: {} as Stamped<InitiatorEvent>,
    emitted: {} as Effect,
    input: {} as InitiatorInput,
  },
  guards: {
    isFromTarget: ({ context, event }) =>
      only(event, 'msg.secretRequest').sender === context.order.target,
    isFitting: ({ context, event }) => secret.isFitting(context, only(event, 'msg.secretRequest')),
    isPayable: ({ context, event }) => secret.isPayable(context, only(event, 'msg.revealSecret')),
    isInTime: ({ context, event }) =>
      context.expiration !== null &&
      only(event, 'chain.secretRevealed').at.block < context.expiration,
    isOwnChannel: ({ context, event }) =>
      only(event, 'actor.refunded').channel === context.order.channel,
    isRefundWithNextAttempt: ({ context, event }) =>
      only(event, 'actor.refunded').channel === context.order.channel &&
      attempts.hasNextAttempt(context),
    hasNextAttempt: ({ context }) => attempts.hasNextAttempt(context),
    hasSentSecret: ({ context }) => context.order.sealedSecret !== null,
    hasAlternative: ({ context }) => context.order.alternatives.length > 0,
  },
  actions: {
    askForLock: enqueueActions(({ context, enqueue }) => take(enqueue, lock.askForLock(context))),
    noteLock: assign(({ context, event }) => {
      const { expiration } = only(event, 'actor.lockAdded');
      return { expiration, wakeBlock: senderRemovalBlock(expiration, context.confirmations) };
    }),
    noteSpoilt: assign({ isSpoilt: true }),
    noteRefunded: assign({ isSpoilt: true, isRefunded: true }),
    retryWithNextRoute: enqueueActions(({ context, enqueue }) =>
      take(enqueue, attempts.retryWithNextRoute(context)),
    ),
    spawnNextAttempt: enqueueActions(({ context, enqueue }) =>
      take(enqueue, attempts.spawnNextAttempt(context)),
    ),
    sendReveal: enqueueActions(({ context, enqueue }) => take(enqueue, secret.reveal(context))),
    stopRevealing: enqueueActions(({ context, enqueue }) =>
      take(enqueue, secret.stopRevealing(context)),
    ),
    pay: enqueueActions(({ context, enqueue }) =>
      take(enqueue, inOrder(context, lock.unlock, outcome.paid)),
    ),
    unlock: enqueueActions(({ context, enqueue }) => take(enqueue, lock.unlock(context))),
    expireLock: enqueueActions(({ context, enqueue }) => take(enqueue, lock.expireLock(context))),
    tellRegistered: enqueueActions(({ context, enqueue }) =>
      take(enqueue, lock.tellRegistered(context)),
    ),
    failRefused: on(outcome.failRefused, 'actor.lockRefused'),
    failExpired: enqueueActions(({ context, enqueue }) =>
      take(enqueue, outcome.failExpired(context)),
    ),
    failClosed: enqueueActions(({ context, enqueue }) =>
      take(enqueue, outcome.failClosed(context)),
    ),
  },
}).createMachine({
  id: 'initiator',
  description: 'One attempt at a payment that this node starts, over one route.',
  // Wakes up at the next block: the channel answers at once, unless it is gone.
  context: ({ input }) => ({
    ...input,
    expiration: null,
    isSpoilt: false,
    isRefunded: false,
    wakeBlock: 0n,
  }),
  initial: 'locking',
  // Somebody registered the secret in time: the payee can claim the lock, or has to be paid now.
  on: {
    'chain.secretRevealed': {
      guard: 'isInTime',
      target: '.paid',
      actions: ['tellRegistered', 'pay'],
    },
  },
  states: {
    locking: {
      description: 'The channel to the first hop is asked for a lock.',
      entry: 'askForLock',
      on: {
        'actor.lockAdded': [
          { guard: 'hasSentSecret', target: 'offered', actions: 'noteLock' },
          { target: 'locked', actions: 'noteLock' },
        ],
        'actor.lockRefused': [
          {
            guard: 'hasAlternative',
            target: 'locking',
            reenter: true,
            actions: 'retryWithNextRoute',
          },
          { target: 'failed', actions: 'failRefused' },
        ],
        'chain.block': [
          {
            guard: 'hasAlternative',
            target: 'locking',
            reenter: true,
            actions: 'retryWithNextRoute',
          },
          { target: 'failed', actions: 'failClosed' },
        ],
      },
    },
    locked: {
      description: 'The lock stands; the target has not asked for the secret yet.',
      on: {
        // Only the first request of the target counts.
        'msg.secretRequest': [
          { guard: 'isFitting', target: 'revealed', actions: 'sendReveal' },
          { guard: 'isFromTarget', actions: 'noteSpoilt' },
        ],
        // Another node showed us the secret, and may have shown it to the first hop too.
        'msg.revealSecret': { guard: 'isPayable', target: 'paid', actions: 'pay' },
        'actor.refunded': [
          { guard: 'isRefundWithNextAttempt', target: 'abandoned', actions: 'spawnNextAttempt' },
          { guard: 'isOwnChannel', actions: 'noteRefunded' },
        ],
        'actor.channelClosed': [
          { guard: 'hasNextAttempt', target: 'abandoned', actions: 'spawnNextAttempt' },
          { target: 'disputed' },
        ],
        'chain.block': [
          {
            guard: 'hasNextAttempt',
            target: 'replaced',
            actions: ['expireLock', 'spawnNextAttempt'],
          },
          { target: 'failed', actions: ['expireLock', 'failExpired'] },
        ],
      },
    },
    // The target can claim the lock from now on: no other attempt may begin any more.
    offered: {
      description: 'The lock carries the secret, sealed for the target, which has to show it.',
      on: {
        // A target that cannot read the secret in the lock asks for it.
        'msg.secretRequest': { guard: 'isFitting', target: 'revealed', actions: 'sendReveal' },
        'msg.revealSecret': { guard: 'isPayable', target: 'paid', actions: 'pay' },
        'actor.channelClosed': { target: 'disputed' },
        'chain.block': { target: 'failed', actions: ['expireLock', 'failExpired'] },
      },
    },
    // Somebody else may hold the secret and can claim the lock: no other attempt may begin any more.
    revealed: {
      description: 'The target has the secret; the first hop has to show it.',
      on: {
        'msg.revealSecret': { guard: 'isPayable', target: 'paid', actions: 'pay' },
        'actor.channelClosed': { target: 'disputed', actions: 'stopRevealing' },
        'chain.block': { target: 'failed', actions: ['expireLock', 'failExpired'] },
      },
    },
    disputed: {
      description:
        'The channel is closed: the payee is paid only if the secret reaches the chain in time.',
      on: {
        'chain.block': { target: 'failed', actions: 'failClosed' },
      },
    },
    // Another attempt goes on with the payment; this one keeps its secret until the lock has run out.
    abandoned: {
      description: 'Another attempt goes on with the payment while this lock runs out.',
      on: {
        // This node has revealed the secret to nobody. If it is registered nevertheless, the payee can claim the
        // lock.
        'chain.secretRevealed': {
          guard: 'isInTime',
          target: 'replaced',
          actions: ['tellRegistered', 'unlock'],
        },
        'chain.block': { target: 'replaced', actions: 'expireLock' },
      },
    },
    paid: { type: 'final', description: 'The lock is paid to the first hop.' },
    failed: { type: 'final', description: 'The payment failed: this node has paid nobody.' },
    replaced: { type: 'final', description: 'Over; another attempt records the end and answers.' },
  },
});
