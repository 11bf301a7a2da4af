/**
 * One payment to this node. Its actor asks for the secret, passes it back to the payer, and is paid, on chain if need
 * be.
 *
 * Rules: protocol section 4.5. The actor lives until its lock is resolved in the channel, so that no unlock finds it
 * gone.
 */
import { and, setup } from 'xstate';
import type { TargetInput } from '../base/inputs.ts';
import type { IncomingTag } from '../base/registering.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import { newTarget, type TargetContext, type TargetEvent } from './context.ts';
import * as secret from './secret.ts';

export const targetMachine = setup({
  types: {
    context: {} as TargetContext,
    events: {} as Stamped<TargetEvent>,
    emitted: {} as Effect,
    input: {} as TargetInput,
    tags: {} as IncomingTag,
  },
  guards: secret.guards,
  actions: secret.actions,
}).createMachine({
  id: 'target',
  description: 'A payment that reaches this node: until its lock is paid or gone.',
  context: ({ input }) => newTarget(input),
  initial: 'received',
  on: {
    'actor.unlocked': { guard: 'isOwnChannel', target: '.paid' },
    'actor.lockGone': { guard: 'isOwnChannel', target: '.lost' },
    'actor.settings': { actions: 'noteSettings' },
    'chain.secretRevealed': {
      guard: 'isInTime',
      target: '.registered',
      actions: ['learnFromChain', 'passBack'],
    },
  },
  states: {
    received: {
      tags: ['answersForPayer'],
      description:
        'The transfer has arrived; whether it is safe to take the secret is looked at once.',
      always: [
        { guard: and(['isSafe', 'hasSecret']), target: 'revealed', actions: 'useSecret' },
        // Nobody asks itself: a payment to oneself whose secret cannot be read is let go.
        {
          guard: and(['isSafe', 'isFromOther']),
          target: 'requesting',
          actions: ['sendRequest', 'wakeAtExpiration'],
        },
        { target: 'expiring' },
      ],
    },
    requesting: {
      tags: ['answersForPayer', 'mayRegister', 'awaitsSecret'],
      description: 'The initiator is asked for the secret.',
      on: {
        'msg.revealSecret': { guard: 'isStillSafe', target: 'revealed', actions: 'learn' },
        'actor.channelClosed': { guard: 'isOwnChannel', target: 'closed' },
        'chain.block': { target: 'expiring', actions: 'fallSilent' },
      },
    },
    // When waiting for the unlock gets dangerous, the secret is registered on chain.
    revealed: {
      tags: ['answersForPayer', 'mayRegister', 'awaitsUnlock'],
      description: 'The payer has the secret and may still unlock.',
      on: {
        'actor.settings': { actions: ['noteSettings', 'wakeAtDanger'] },
        'actor.channelClosed': {
          guard: and(['isOwnChannel', 'isBeforeExpiration']),
          target: 'registering',
          actions: 'register',
        },
        'chain.block': [
          { guard: 'isBeforeExpiration', target: 'registering', actions: 'register' },
          { target: 'expiring', actions: 'fallSilent' },
        ],
      },
    },
    closed: {
      tags: ['answersForPayer', 'mayRegister', 'claimsAtOnce'],
      description: 'The channel is closed: a secret that comes now goes to the chain at once.',
      on: {
        'msg.revealSecret': {
          // It was weighed as one that is shown to a payer would be: else strangers could force any number of claims.
          guard: and(['isStillSafe', 'isBeforeExpiration']),
          target: 'registering',
          actions: ['learnQuietly', 'register'],
        },
        'chain.block': { target: 'expiring', actions: 'fallSilent' },
      },
    },
    registering: {
      tags: ['answersForPayer', 'mayRegister', 'isRegistering'],
      description: 'The secret is being registered on chain.',
      on: {
        'chain.tx': [
          { guard: 'isFailed', actions: 'tryNextBlock' },
          { guard: 'isMinedInTime', target: 'registered', actions: 'tellRegistered' },
          { target: 'expiring', actions: 'fallSilent' },
        ],
        'chain.block': [
          { guard: 'isBeforeExpiration', actions: 'register' },
          { target: 'expiring', actions: 'fallSilent' },
        ],
      },
    },
    registered: {
      tags: ['answersForPayer', 'isRegistered'],
      description: 'The secret stands on chain in time: the lock can be claimed there.',
    },
    expiring: {
      tags: ['answersForPayer', 'isTooLate'],
      description:
        'Too late to claim: the lock stays until the payer, or the chain, takes it away.',
    },
    paid: { type: 'final', description: 'The payer has paid.', entry: 'noteReceived' },
    lost: { type: 'final', description: 'The lock is gone unpaid.', entry: 'fallSilent' },
  },
});
