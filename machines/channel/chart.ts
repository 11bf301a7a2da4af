/**
 * One channel, from its opening on chain until nothing of it is left there.
 *
 * Rules: protocol sections 4.1, 4.2, 4.6 and 4.8. Amounts in the token's smallest unit, heights are confirmed blocks.
 * Both sides' locks and balance proofs are kept here; payment actors ask for changes with `actor.*` events and are
 * told the outcome.
 */
import { setup } from 'xstate';
import type { ChannelInput } from '../base/inputs.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import * as closing from './closing.ts';
import * as commands from './commands.ts';
import * as consents from './consents.ts';
import { type ChannelContext, type ChannelEvent, type ChannelTag, newChannel } from './context.ts';
import * as deposit from './deposit.ts';
import * as dispute from './dispute.ts';
import * as incoming from './incoming.ts';
import * as locks from './locks.ts';
import * as mediation from './mediation.ts';
import * as notices from './notices.ts';
import * as sync from './sync.ts';
import * as withdraws from './withdraws.ts';

export const channelMachine = setup({
  types: {
    context: {} as ChannelContext,
    events: {} as Stamped<ChannelEvent>,
    emitted: {} as Effect,
    input: {} as ChannelInput & { id: string },
    tags: {} as ChannelTag,
  },
  guards: {
    ...locks.guards,
    ...mediation.guards,
    ...sync.guards,
    ...deposit.guards,
    ...withdraws.guards,
    ...consents.guards,
    ...commands.guards,
    ...closing.guards,
    ...dispute.guards,
  },
  actions: {
    ...locks.actions,
    ...mediation.actions,
    ...incoming.actions,
    ...sync.actions,
    ...deposit.actions,
    ...withdraws.actions,
    ...consents.actions,
    ...commands.actions,
    ...closing.actions,
    ...dispute.actions,
    ...notices.actions,
  },
}).createMachine({
  id: 'channel',
  description: 'A channel, from its opening on chain until nothing of it is left there.',
  context: ({ input }) => newChannel(input),
  initial: 'opened',
  on: {
    'cmd.*': { actions: { type: 'refuse', params: { code: 'channel_not_open' } } },
    'cmd.close': {
      actions: ['noteOrdered', { type: 'refuse', params: { code: 'channel_not_open' } }],
    },
    'actor.addLock': { actions: { type: 'refuseLock', params: { code: 'channel_not_open' } } },
    'actor.forwardLock': { actions: { type: 'refuseLock', params: { code: 'channel_not_open' } } },
    'actor.secretRegistered': { actions: 'noteRegistered' },
    'actor.unanswered': { guard: 'isUnanswered', actions: 'giveKeeper' },
    'actor.settings': { actions: 'noteSettings' },
    'actor.funded': { actions: 'noteFunded' },
    'chain.channelDeposit': { actions: 'noteDeposit' },
    'chain.channelWithdraw': { actions: 'noteWithdraw' },
    'chain.channelClosed': { target: '.closed', actions: ['sign', 'noteClosed'] },
    'chain.channelSettled': [
      {
        guard: 'leavesLocks',
        target: '.claiming',
        actions: ['sign', 'notePaid', 'noteSettled', 'submitUnlocks'],
      },
      { target: '.gone', actions: ['sign', 'notePaid'] },
    ],
    'chain.tx': [
      { guard: 'isOwnDepositJob', actions: 'endDeposit' },
      { guard: 'isWithdrawJob', actions: 'noteFailedWithdraw' },
    ],
  },
  states: {
    opened: {
      type: 'parallel',
      tags: [
        'takesLocks',
        'signsForLocks',
        'isUnclosed',
        'takesProofs',
        'isUnsettled',
        'holdsMoney',
      ],
      description: 'Both sides can pay each other, deposit and withdraw.',
      on: {
        'actor.addLock': [{ guard: 'canLock', actions: 'addLock' }, { actions: 'refuseLock' }],
        'actor.forwardLock': [
          { guard: 'canForward', actions: 'forwardLock' },
          { actions: 'refuseLock' },
        ],
        'actor.unlock': { guard: 'hasLock', actions: 'unlock' },
        'actor.expireLock': { guard: 'hasLock', actions: 'expireLock' },
        'actor.secretRegistered': { actions: ['noteRegistered', 'wakeInTime'] },
        'actor.resynchronise': { actions: 'sendSync' },
        'actor.sign': { guard: 'hasUnsigned', actions: 'sign' },
        'msg.update': { actions: 'takeUpdate' },
        'msg.withdrawRequest': [
          { guard: 'isAgreed', actions: 'agreeAgain' },
          { guard: 'canAgree', actions: ['sign', 'agree'] },
        ],
        'msg.withdrawConfirmation': [
          { guard: 'isKnownConsent', actions: 'acknowledgeAgain' },
          { guard: 'isConsent', actions: 'takeConsent' },
        ],
        'msg.withdrawExpired': [
          { guard: 'isOver', actions: 'acknowledgeAgain' },
          { guard: 'hasExpired', actions: 'noteExpired' },
        ],
        'msg.sync': [
          { guard: 'isAhead', target: 'stale', actions: ['sign', 'noteStale'] },
          { guard: 'isSync', actions: 'answerSync' },
        ],
        'chain.channelWithdraw': [
          {
            guard: 'isUnknownWithdraw',
            target: 'stale',
            actions: ['sign', 'noteUnknownWithdraw'],
          },
          { actions: 'noteWithdraw' },
        ],
        'actor.oldCopy': { target: 'stale', actions: ['sign', 'noteOldCopy'] },
        'cmd.setRevealTimeout': [
          { guard: 'canSetReveal', actions: 'setRevealTimeout' },
          { actions: 'refuse' },
        ],
        'cmd.close': { target: 'closing', actions: ['sign', 'submitClose'] },
        // The reason to wake up may be gone: then only the next block to wake up at is computed.
        'chain.block': [
          { guard: 'isClaimDue', target: 'closing', actions: ['sign', 'closeToClaim'] },
          { actions: 'lookLater' },
        ],
      },
      states: {
        deposit: {
          initial: 'idle',
          description: 'What becomes of this node’s deposits.',
          states: {
            idle: {
              description: 'No deposit is on its way.',
              always: { guard: 'hasDeposit', target: 'depositing' },
              on: {
                'cmd.deposit': [
                  { guard: 'isSameDeposit', actions: 'replyChannel' },
                  { guard: 'canDeposit', actions: 'startDeposit' },
                  { actions: 'refuse' },
                ],
              },
            },
            depositing: {
              description: 'A deposit transaction is on its way; one at a time.',
              always: { guard: 'hasNoDeposit', target: 'idle' },
              on: { 'cmd.deposit': { actions: { type: 'refuse', params: { code: 'busy' } } } },
            },
          },
        },
        withdraw: {
          initial: 'idle',
          description:
            'What becomes of this node’s withdrawals: each needs the consent of the partner.',
          states: {
            idle: {
              description: 'No withdrawal is on its way.',
              always: { guard: 'hasWithdraw', target: 'pending' },
              on: {
                'cmd.withdraw': [
                  { guard: 'isSameTotal', actions: 'replyChannel' },
                  { guard: 'canWithdraw', actions: ['sign', 'requestWithdraw'] },
                  { actions: 'refuse' },
                ],
              },
            },
            pending: {
              initial: 'asking',
              description:
                'An amount is reserved until it is withdrawn on chain, or can be no more.',
              always: { guard: 'hasNoWithdraw', target: 'idle' },
              on: {
                'cmd.withdraw': [
                  { guard: 'isUnderWay', actions: 'joinWithdraw' },
                  { actions: { type: 'refuse', params: { code: 'busy' } } },
                ],
                'chain.block': { guard: 'isLapsed', actions: ['sign', 'expireWithdraw'] },
              },
              states: {
                asking: {
                  description: 'The partner is asked for its consent.',
                  always: { guard: 'hasJob', target: 'withdrawing' },
                },
                withdrawing: { description: 'The partner’s consent is being brought on chain.' },
              },
            },
          },
        },
      },
    },
    // An old copy of the database is running: whatever this channel signed now could be used against us.
    stale: {
      tags: ['isFrozen', 'isUnclosed', 'takesProofs', 'isUnsettled', 'holdsMoney'],
      description: 'The database is an old copy: the channel can only be closed.',
      on: {
        'cmd.close': { target: 'closing.stale', actions: 'submitClose' },
        'chain.channelDeposit': { actions: 'noteDepositOnly' },
      },
    },
    // The closing signature covers the partner's newest proof, so nothing newer of the partner is accepted, and no
    // new lock is signed. The partner is still told what became of our own pending locks, but not when the database
    // is old.
    closing: {
      initial: 'sound',
      tags: ['isUnclosed', 'takesProofs', 'isUnsettled', 'holdsMoney'],
      description: 'The close transaction is on its way.',
      on: {
        'cmd.close': [
          { guard: 'isUnasked', actions: 'joinClose' },
          { actions: { type: 'refuse', params: { code: 'busy' } } },
        ],
        'chain.channelDeposit': { actions: 'noteDepositOnly' },
      },
      states: {
        sound: {
          tags: ['signsForLocks'],
          description: 'The database is the newest one: what became of own locks is still told.',
          on: {
            'chain.channelWithdraw': [
              {
                guard: 'isUnknownWithdraw',
                target: 'stale',
                actions: ['sign', 'noteUnknownWithdraw'],
              },
              { actions: 'noteWithdraw' },
            ],
            'actor.unlock': { guard: 'hasLock', actions: 'unlock' },
            'actor.expireLock': { guard: 'hasLock', actions: 'expireLock' },
            'actor.sign': { guard: 'hasUnsigned', actions: 'sign' },
            'chain.tx': {
              guard: { type: 'isFailedJob', params: { job: 'close' } },
              target: '#channel.opened',
              actions: ['refuseClose', 'claimLater'],
            },
          },
        },
        stale: {
          description: 'The database is an old copy: nothing is signed any more.',
          on: {
            'chain.tx': {
              guard: { type: 'isFailedJob', params: { job: 'close' } },
              target: '#channel.stale',
              actions: 'refuseClose',
            },
          },
        },
      },
    },
    // The partner may have closed with an old proof: until the settlement this node can replace it by the newest one.
    closed: {
      tags: ['takesProofs', 'bringsProof', 'isUnsettled', 'holdsMoney'],
      description: 'Closed on chain: the settle timeout is running.',
      on: {
        'chain.proofUpdated': { actions: 'noteUpdated' },
        'chain.tx': {
          guard: { type: 'isFailedJob', params: { job: 'update' } },
          actions: 'tryLater',
        },
        'chain.block': [
          { guard: 'canSettle', target: 'settling', actions: 'submitSettle' },
          { actions: 'submitUpdate' },
        ],
      },
    },
    // The first side to succeed settles for both: who has less in the channel comes here later. A try that failed is
    // repeated until the log of the settlement is seen.
    settling: {
      tags: ['isUnsettled', 'holdsMoney'],
      description: 'The settle timeout has passed: the settle transaction is on its way.',
      on: {
        'chain.proofUpdated': { actions: 'noteUpdated' },
        'chain.tx': {
          guard: { type: 'isFailedJob', params: { job: 'settle' } },
          actions: 'tryLater',
        },
        'chain.block': { actions: 'submitSettle' },
      },
    },
    claiming: {
      tags: ['holdsMoney'],
      description: 'Settled: the locks that are left in the contract are being unlocked.',
      on: {
        'chain.channelUnlocked': [
          { guard: 'isLastUnlock', target: 'gone' },
          { actions: 'noteUnlocked' },
        ],
        'chain.tx': { guard: 'isFailedUnlock', actions: 'tryLater' },
        'chain.block': { actions: 'submitUnlocks' },
      },
    },
    gone: {
      type: 'final',
      description: 'Nothing of this node is left in the contract.',
      entry: 'tellGone',
    },
  },
});
