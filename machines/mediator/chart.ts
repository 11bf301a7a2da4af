/**
 * One transfer that this node passes on: from the payer's lock to the payee's, from the secret back to both.
 *
 * Rules: protocol section 4.4. Both locks expire at the same block. The payee is paid off chain only while there is
 * time to claim the payer's lock on chain, or once that claim is certain; the actor lives until both locks are
 * resolved. A secret is registered only when this node may have to pay for it: not for a transfer that was not passed
 * on, and not when the payee shows it too late to be paid off chain. Then the payee brings it on chain, at its own
 * cost, and this node claims with it, too.
 */
import { and, setup } from 'xstate';
import type { MediatorInput } from '../base/inputs.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import {
  type MediatorContext,
  type MediatorEvent,
  type MediatorTag,
  newMediator,
} from './context.ts';
import * as payee from './payee.ts';
import * as payer from './payer.ts';

export const mediatorMachine = setup({
  types: {
    context: {} as MediatorContext,
    events: {} as Stamped<MediatorEvent>,
    emitted: {} as Effect,
    input: {} as MediatorInput,
    tags: {} as MediatorTag,
  },
  guards: { ...payer.guards, ...payee.guards },
  actions: { ...payer.actions, ...payee.actions },
}).createMachine({
  id: 'mediator',
  type: 'parallel',
  description:
    'A transfer that is passed on: from the payer’s lock to the payee’s, from the secret back to both.',
  context: ({ input }) => newMediator(input),
  on: {
    'actor.refunded': { guard: 'isFromPayee', actions: 'noteRefunded' },
    'actor.settings': { actions: 'noteSettings' },
  },
  states: {
    payer: {
      initial: 'unpaid',
      description: 'Towards the payer: whether its lock is paid to this node.',
      states: {
        unpaid: {
          initial: 'pending',
          tags: ['answersForPayer'],
          description: 'The payer’s lock stands.',
          on: {
            'actor.unlocked': { guard: 'isFromPayer', target: 'paid', actions: 'learn' },
            'actor.lockGone': { guard: 'isFromPayer', target: 'lost' },
            'chain.secretRevealed': {
              guard: 'isInTime',
              target: '.registered',
              actions: ['learn', 'passBack'],
            },
          },
          states: {
            pending: {
              tags: ['mayRegister', 'awaitsSecret'],
              description: 'The secret is not known, or was shown too late to pay for it.',
              on: {
                'msg.revealSecret': [
                  {
                    guard: and(['isForwarded', 'isPayable']),
                    target: 'revealed',
                    actions: ['learn', 'noteLate', 'awaitUnlock'],
                  },
                  { guard: and(['isForwarded', 'isUnknown']), actions: 'learn' },
                ],
                'actor.channelClosed': { guard: 'isFromPayer', target: 'closed' },
              },
            },
            // When waiting for the unlock gets dangerous, the secret is registered on chain.
            revealed: {
              tags: ['mayRegister', 'awaitsUnlock'],
              description: 'The payer has the secret and may still unlock.',
              on: {
                'actor.channelClosed': {
                  guard: and(['isFromPayer', 'isBeforeExpiration']),
                  target: 'registering',
                  actions: ['restPayer', 'register'],
                },
                'chain.block': [
                  {
                    guard: and(['isPayerDue', 'isBeforeExpiration']),
                    target: 'registering',
                    actions: 'register',
                  },
                  { guard: 'isPayerDue', target: 'expiring' },
                ],
              },
            },
            closed: {
              tags: ['mayRegister', 'claimsAtOnce'],
              description:
                'The payer’s channel is closed: a secret that comes in time goes to the chain at once.',
              on: {
                'msg.revealSecret': {
                  guard: and(['isForwarded', 'isPayable']),
                  target: 'registering',
                  actions: ['learn', 'noteLate', 'register'],
                },
              },
            },
            registering: {
              tags: ['mayRegister', 'isRegistering'],
              description: 'The secret is being registered on chain.',
              on: {
                'chain.tx': [
                  { guard: 'isFailed', actions: 'tryNextBlock' },
                  { guard: 'isMinedInTime', target: 'registered' },
                  { target: 'expiring' },
                ],
                'chain.block': [
                  { guard: and(['isPayerDue', 'isBeforeExpiration']), actions: 'register' },
                  { guard: 'isPayerDue', target: 'expiring' },
                ],
              },
            },
            registered: {
              tags: ['isRegistered'],
              description: 'The secret stands on chain in time: the lock can be claimed there.',
              entry: 'awaitPayer',
            },
            expiring: {
              tags: ['isTooLate'],
              description:
                'Too late to claim: the lock stays until the payer, or the chain, takes it away.',
              entry: 'restPayer',
            },
          },
        },
        paid: {
          type: 'final',
          description: 'The payer has paid.',
          entry: ['restPayer', 'notePaidIn'],
        },
        lost: { type: 'final', description: 'The payer’s lock is gone.', entry: 'restPayer' },
      },
    },
    payee: {
      initial: 'beginning',
      description: 'Towards the payee: whether the transfer went on and was paid.',
      states: {
        beginning: {
          description: 'Whether there is time to pass the transfer on is looked at once.',
          always: [{ guard: 'canBegin', target: 'waiting' }, { target: 'unforwarded' }],
        },
        waiting: {
          tags: ['looksForHop'],
          description:
            'Until a hop takes the transfer, all are asked at each block, as long as it is safe.',
          entry: 'askFirstHop',
          on: {
            'actor.lockForwarded': { target: 'pending', actions: 'noteForwarded' },
            'actor.lockRefused': { actions: 'askNextHop' },
            'actor.nobody': { actions: 'askNextHop' },
            'actor.channelClosed': { guard: 'isFromPayer', target: 'unforwarded' },
            'actor.unlocked': { guard: 'isFromPayer', target: 'unforwarded' },
            'actor.lockGone': { guard: 'isFromPayer', target: 'unforwarded' },
            'chain.secretRevealed': { target: 'unforwarded' },
            'chain.block': [
              { guard: 'canForward', actions: 'askFirstHop' },
              { target: 'unforwarded' },
            ],
          },
        },
        pending: {
          tags: ['answersForPayee', 'takesBack'],
          description: 'This node’s lock for the payee stands.',
          on: {
            'msg.revealSecret': { guard: 'isPayable', target: 'unlocked', actions: 'learn' },
            // This node was paid, so it pays the payee, however late: it loses nothing by that.
            'actor.unlocked': {
              guard: and(['isFromPayer', 'isSecretKnown']),
              target: 'unlocked',
              actions: 'learn',
            },
            'chain.secretRevealed': {
              guard: 'isInTime',
              target: 'unlocked',
              actions: ['learn', 'tellPayeeChannel'],
            },
            'actor.channelClosed': { guard: 'isFromPayee', target: 'disputed' },
            'actor.ownLockGone': { guard: 'isFromPayee', target: 'expired' },
            'chain.block': { guard: 'isPayeeDue', target: 'expired', actions: 'expirePayee' },
          },
        },
        // If the payee does not claim the lock, the channel itself gets its amount back.
        disputed: {
          tags: ['answersForPayee'],
          description:
            'The payee’s channel is closed: the payee claims the lock on chain, or nobody does.',
          entry: 'watchPayee',
          on: {
            'chain.secretRevealed': {
              guard: 'isInTime',
              target: 'claimable',
              actions: ['learn', 'tellPayeeChannel'],
            },
            'chain.tx': {
              guard: 'isMinedInTime',
              target: 'claimable',
              actions: 'tellPayeeChannel',
            },
            'actor.ownLockGone': { guard: 'isFromPayee', target: 'expired' },
            'chain.block': { guard: 'isPayeeDue', target: 'expired' },
          },
        },
        unlocked: {
          type: 'final',
          description: 'The payee is paid.',
          entry: ['unlockPayee', 'restPayee', 'notePaidOut'],
        },
        claimable: {
          type: 'final',
          description: 'The secret stands on chain in time: the payee can claim the lock there.',
          entry: ['restPayee', 'notePaidOut'],
        },
        expired: {
          type: 'final',
          description: 'This node’s lock is gone: the payee was not paid.',
          entry: 'restPayee',
        },
        unforwarded: {
          type: 'final',
          description: 'The transfer went on to nobody.',
          entry: 'restPayee',
        },
      },
    },
  },
});
