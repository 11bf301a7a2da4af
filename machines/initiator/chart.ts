/**
 * One attempt at a payment that this node starts, over one route.
 *
 * Rules: protocol section 4.3. The attempt ends paid when the unlock is signed (or the secret is on chain in time),
 * else failed when the lock has expired and no other route is left. The secret is revealed only for a valid request
 * of the target, and another attempt follows only if the secret was never revealed.
 */
import { setup } from 'xstate';
import type { InitiatorInput } from '../base/inputs.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import { type InitiatorContext, type InitiatorEvent, newInitiator } from './context.ts';
import * as lock from './lock.ts';
import * as outcome from './outcome.ts';

export const initiatorMachine = setup({
  types: {
    context: {} as InitiatorContext,
    events: {} as Stamped<InitiatorEvent>,
    emitted: {} as Effect,
    input: {} as InitiatorInput,
    tags: {} as 'answersNobody',
  },
  guards: { ...lock.guards, ...outcome.guards },
  actions: { ...lock.actions, ...outcome.actions },
}).createMachine({
  id: 'initiator',
  description: 'One attempt at a payment that this node starts, over one route.',
  context: ({ input }) => newInitiator(input),
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
        // A target that cannot read the secret in the lock asks for it, or one whose lock holds less than was promised.
        'msg.secretRequest': [
          { guard: 'isFitting', target: 'revealed', actions: 'sendReveal' },
          { guard: 'isFromTarget', actions: 'noteSpoilt' },
        ],
        'msg.revealSecret': { guard: 'isPayable', target: 'paid', actions: 'pay' },
        'actor.refunded': { guard: 'isOwnChannel', actions: 'noteRefunded' },
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
      tags: ['answersNobody'],
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
