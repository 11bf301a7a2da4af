/**
 * One transfer that this node passes on: from the payer's lock to the payee's, from the secret back to both.
 *
 * Rules: protocol section 4.4. Both locks end at the same block. The payee is paid off chain only while
 * there is time to claim the payer's lock on chain, or once that claim is certain; it lives until both
 * locks are resolved. A secret is never registered for a transfer that did not go on.
 */
import { and } from 'xstate';
import { newMediator } from './mediator-context.ts';
import { mediatorParts } from './mediator-parts.ts';

export const mediatorMachine = mediatorParts.createMachine({
  id: 'mediator',
  type: 'parallel',
  context: ({ input }) => newMediator(input),
  on: { 'told.refunded': { guard: 'isFromPayee', actions: 'noteRefunded' } },
  states: {
    payer: {
      initial: 'unpaid',
      states: {
        unpaid: {
          initial: 'pending',
          on: {
            'told.unlocked': { guard: 'isFromPayer', target: 'paid', actions: 'learn' },
            'told.lockGone': { guard: 'isFromPayer', target: 'lost' },
            'chain.secretRevealed': {
              guard: 'isInTime',
              target: '.registered',
              actions: ['learn', 'passBack'],
            },
          },
          states: {
            pending: {
              on: {
                'msg.revealSecret': [
                  {
                    guard: and(['isForwarded', 'isSafe']),
                    target: 'revealed',
                    actions: ['learn', 'awaitUnlock'],
                  },
                  {
                    guard: and(['isForwarded', 'isBeforeExpiration']),
                    target: 'registering',
                    actions: ['learn', 'passBack', 'register'],
                  },
                ],
                'told.channelClosed': { guard: 'isFromPayer', target: 'closed' },
              },
            },
            // The payer may still unlock; when waiting gets dangerous the chain is the witness.
            revealed: {
              on: {
                'told.channelClosed': {
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
            // No unlock can come any more: a secret goes to the chain at once.
            closed: {
              on: {
                'msg.revealSecret': {
                  guard: and(['isForwarded', 'isBeforeExpiration']),
                  target: 'registering',
                  actions: ['learn', 'register'],
                },
              },
            },
            registering: {
              on: {
                'chain.tx': [
                  { guard: 'isFailed', actions: 'tryNextBlock' },
                  { guard: 'isMinedInTime', target: 'registered' },
                ],
                'chain.block': [
                  { guard: and(['isPayerDue', 'isBeforeExpiration']), actions: 'register' },
                  { guard: 'isPayerDue', target: 'expiring' },
                ],
              },
            },
            registered: { entry: 'awaitPayer' },
            // Too late to claim: wait until the payer, or the chain, takes the lock away.
            expiring: { entry: 'restPayer' },
          },
        },
        paid: { type: 'final', entry: ['restPayer', 'notePaidIn'] },
        lost: { type: 'final', entry: 'restPayer' },
      },
    },
    payee: {
      initial: 'beginning',
      states: {
        beginning: {
          always: [{ guard: 'canBegin', target: 'waiting' }, { target: 'unforwarded' }],
        },
        // Until a hop takes the transfer, all are asked at each block, as long as it is safe.
        waiting: {
          entry: 'askFirstHop',
          on: {
            'told.lockForwarded': { target: 'pending', actions: 'noteForwarded' },
            'told.lockRefused': { actions: 'askNextHop' },
            'told.nobody': { actions: 'askNextHop' },
            'told.channelClosed': { guard: 'isFromPayer', target: 'unforwarded' },
            'told.unlocked': { guard: 'isFromPayer', target: 'unforwarded' },
            'told.lockGone': { guard: 'isFromPayer', target: 'unforwarded' },
            'chain.secretRevealed': { target: 'unforwarded' },
            'chain.block': [
              { guard: 'canForward', actions: 'askFirstHop' },
              { target: 'unforwarded' },
            ],
          },
        },
        pending: {
          on: {
            'msg.revealSecret': { guard: 'isSafe', target: 'unlocked', actions: 'learn' },
            // Whoever was paid pays, however late: nothing is lost by it.
            'told.unlocked': {
              guard: and(['isFromPayer', 'isSecretKnown']),
              target: 'unlocked',
              actions: 'learn',
            },
            'chain.secretRevealed': {
              guard: 'isInTime',
              target: 'unlocked',
              actions: ['learn', 'tellPayeeChannel'],
            },
            'chain.tx': {
              guard: 'isMinedInTime',
              target: 'unlocked',
              actions: 'tellPayeeChannel',
            },
            'told.channelClosed': { guard: 'isFromPayee', target: 'disputed' },
            'told.ownLockGone': { guard: 'isFromPayee', target: 'expired' },
            'chain.block': { guard: 'isPayeeDue', target: 'expired', actions: 'expirePayee' },
          },
        },
        // The payee claims on chain, or nobody does: the channel sees to what comes back.
        disputed: {
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
            'told.ownLockGone': { guard: 'isFromPayee', target: 'expired' },
            'chain.block': { guard: 'isPayeeDue', target: 'expired' },
          },
        },
        unlocked: { type: 'final', entry: ['unlockPayee', 'restPayee', 'notePaidOut'] },
        claimable: { type: 'final', entry: ['restPayee', 'notePaidOut'] },
        expired: { type: 'final', entry: 'restPayee' },
        unforwarded: { type: 'final', entry: 'restPayee' },
      },
    },
  },
});
