/**
 * One channel, from its opening on chain until nothing of it is left there.
 *
 * Rules: protocol sections 4.1, 4.2 and 4.8. Amounts in the token's smallest unit, heights are confirmed
 * blocks. Both sides' locks and balance proofs live here; payments ask by `told.*` and are told.
 */
import { assign, enqueueActions, setup } from 'xstate';
import type { Code } from '../src/protocol/codes.ts';
import { type ChannelContext, type ChannelEvent, newChannel } from './channel-context.ts';
import * as dispute from './channel-dispute.ts';
import { syncMessage } from './channel-effects.ts';
import * as steps from './channel-steps.ts';
import { incomingStep, isRepeated, lockRefusal } from './channel-transfers.ts';
import { depositAdvice } from './deposit.ts';
import type { ChannelInput, Effect } from './effects.ts';
import type { Stamped } from './events.ts';
import { only, take } from './step.ts';

const INCOMING = ['msg.lockedTransfer', 'msg.unlock', 'msg.lockExpired'] as const;
const COMMANDS = ['cmd.deposit', 'cmd.close', 'cmd.setRevealTimeout'] as const;

export const channelMachine = setup({
  types: {
    context: {} as ChannelContext,
    events: {} as Stamped<ChannelEvent>,
    emitted: {} as Effect,
    input: {} as ChannelInput & { id: string },
  },
  guards: {
    canLock: ({ context, event }) => lockRefusal(context, only(event, 'told.addLock')) === null,
    hasLock: ({ context, event }) =>
      steps.hasLock(context, only(event, 'told.unlock', 'told.expireLock')),
    isRepeated: ({ context, event }) => isRepeated(context, only(event, ...INCOMING)),
    isRight: ({ context, event }) => incomingStep(context, only(event, ...INCOMING)).ok,
    isAhead: ({ context, event }) => steps.isAhead(context, only(event, 'msg.sync')),
    isSync: ({ context, event }) => steps.isSync(context, only(event, 'msg.sync')),
    isSameDeposit: ({ context, event }) =>
      only(event, 'cmd.deposit').totalDeposit === context.ownEnd.deposit,
    canDeposit: ({ context, event }) =>
      steps.channelDepositRefusal(context, only(event, 'cmd.deposit')) === null,
    canSetReveal: ({ context, event }) =>
      steps.revealTimeoutRefusal(context, only(event, 'cmd.setRevealTimeout')) === null,
    isOwnDepositJob: ({ context, event }) => only(event, 'chain.tx').key === context.deposit?.key,
    hasDeposit: ({ context }) => context.deposit !== null,
    hasNoDeposit: ({ context }) => context.deposit === null,
    isFailedJob: ({ context, event }, { job }: { job: string }) => {
      const ended = only(event, 'chain.tx');
      return !ended.ok && ended.key === dispute.jobKey(context, job);
    },
    isFailed: ({ event }) => !only(event, 'chain.tx').ok,
    canSettle: ({ context, event }) => event.nowBlock >= dispute.settleBlock(context),
    leavesLocks: ({ context, event }) =>
      dispute.unlocksAfterSettle(context, only(event, 'chain.channelSettled')).length > 0,
    isLastUnlock: ({ context, event }) =>
      dispute.unlocksAfter(context, only(event, 'chain.channelUnlocked')).length === 0,
  },
  actions: {
    addLock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.addLock(context, only(event, 'told.addLock'))),
    ),
    refuseLock: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, 'told.addLock');
      const code = given?.code ?? lockRefusal(context, asked) ?? 'channel_not_open';
      take(enqueue, steps.refuseLock(asked, code));
    }),
    unlock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.unlock(context, only(event, 'told.unlock'))),
    ),
    expireLock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.expireLock(context, only(event, 'told.expireLock'))),
    ),
    noteRegistered: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.noteRegistered(context, only(event, 'told.secretRegistered'))),
    ),
    applyIncoming: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.applyIncoming(context, only(event, ...INCOMING))),
    ),
    acknowledgeAgain: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.acknowledgeAgain(context, only(event, ...INCOMING))),
    ),
    noteStale: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.noteStale(context, only(event, 'msg.sync'))),
    ),
    answerSync: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.answerSync(context, only(event, 'msg.sync'))),
    ),
    sendSync: enqueueActions(({ context, enqueue }) => enqueue.emit(syncMessage(context, true))),
    noteDeposit: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.noteDeposit(context, only(event, 'chain.channelDeposit'))),
    ),
    noteWithdraw: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.noteWithdraw(context, only(event, 'chain.channelWithdraw'))),
    ),
    startDeposit: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.startDeposit(context, only(event, 'cmd.deposit'))),
    ),
    endDeposit: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.endDeposit(context, only(event, 'chain.tx'))),
    ),
    setRevealTimeout: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.setRevealTimeout(context, only(event, 'cmd.setRevealTimeout'))),
    ),
    replyChannel: enqueueActions(({ context, event, enqueue }) =>
      enqueue.emit(steps.replyChannel(context, only(event, ...COMMANDS).requestId)),
    ),
    refuse: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, ...COMMANDS);
      const code = given?.code ?? refusalOf(context, asked) ?? 'channel_not_open';
      const detail = asked.type === 'cmd.deposit' ? depositAdvice(code) : '';
      enqueue.emit(steps.refusal(asked.requestId, code, detail));
    }),
    submitClose: enqueueActions(({ context, event, enqueue }) => {
      const closeRequest = only(event, 'cmd.close').requestId;
      const next = { ...context, closeRequest, jobs: context.jobs + 1 };
      take(enqueue, { patch: next, effects: [dispute.closeTx(next)] });
    }),
    refuseClose: enqueueActions(({ context, event, enqueue }) => {
      const ended = only(event, 'chain.tx');
      const { closeRequest } = context;
      if (ended.ok || closeRequest === null) return;
      const effects = [steps.refusal(closeRequest, ended.code, ended.detail)];
      take(enqueue, { patch: { closeRequest: null }, effects });
    }),
    noteClosed: enqueueActions(({ context, event, enqueue }) => {
      const closed = dispute.disputeAfterClose(context, only(event, 'chain.channelClosed'));
      const next = { ...context, dispute: closed, jobs: context.jobs + 1 };
      const effects = [...steps.closeNotices(next), ...dispute.updateEffects(next)];
      const wakeBlock = dispute.settleBlock(next);
      take(enqueue, { patch: { ...next, wakeBlock, closeRequest: null, deposit: null }, effects });
    }),
    noteUpdated: enqueueActions(({ context, event, enqueue }) => {
      const before = context.dispute;
      if (before === null) return;
      const log = only(event, 'chain.proofUpdated');
      enqueue.assign({ dispute: dispute.disputeAfterUpdate(before, context.own, log) });
    }),
    submitUpdate: enqueueActions(({ context, enqueue }) => {
      const next = { ...context, jobs: context.jobs + 1, wakeBlock: dispute.settleBlock(context) };
      take(enqueue, { patch: next, effects: dispute.updateEffects(next) });
    }),
    submitSettle: enqueueActions(({ context, enqueue }) => {
      const next = { ...context, jobs: context.jobs + 1, wakeBlock: null };
      take(enqueue, { patch: next, effects: [dispute.settleTx(next)] });
    }),
    tryLater: assign(({ context, event }) => ({
      wakeBlock: dispute.retryBlock(context, event.nowBlock),
    })),
    noteSettled: enqueueActions(({ context, event, enqueue }) => {
      const unlocks = dispute.unlocksAfterSettle(context, only(event, 'chain.channelSettled'));
      enqueue.assign({ unlocks, wakeBlock: null });
    }),
    submitUnlocks: enqueueActions(({ context, enqueue }) => {
      const next = { ...context, jobs: context.jobs + 1, wakeBlock: null };
      take(enqueue, { patch: next, effects: dispute.unlockEffects(next) });
    }),
    noteUnlocked: enqueueActions(({ context, event, enqueue }) =>
      enqueue.assign({
        unlocks: dispute.unlocksAfter(context, only(event, 'chain.channelUnlocked')),
      }),
    ),
    tellGone: enqueueActions(({ context, enqueue }) =>
      take(enqueue, { patch: { wakeBlock: null }, effects: steps.goneEffects(context) }),
    ),
  },
}).createMachine({
  id: 'channel',
  context: ({ input }) => newChannel(input),
  initial: 'opened',
  on: {
    'cmd.*': { actions: { type: 'refuse', params: { code: 'channel_not_open' } } },
    'told.addLock': { actions: { type: 'refuseLock', params: { code: 'channel_not_open' } } },
    'told.secretRegistered': { actions: 'noteRegistered' },
    'chain.channelDeposit': { actions: 'noteDeposit' },
    'chain.channelWithdraw': { actions: 'noteWithdraw' },
    'chain.channelClosed': { target: '.closed', actions: 'noteClosed' },
    'chain.channelSettled': [
      { guard: 'leavesLocks', target: '.claiming', actions: ['noteSettled', 'submitUnlocks'] },
      { target: '.gone' },
    ],
    'chain.tx': { guard: 'isOwnDepositJob', actions: 'endDeposit' },
  },
  states: {
    opened: {
      initial: 'idle',
      on: {
        'told.addLock': [{ guard: 'canLock', actions: 'addLock' }, { actions: 'refuseLock' }],
        'told.unlock': { guard: 'hasLock', actions: 'unlock' },
        'told.expireLock': { guard: 'hasLock', actions: 'expireLock' },
        'told.partnerBack': { actions: 'sendSync' },
        'msg.lockedTransfer': [
          { guard: 'isRepeated', actions: 'acknowledgeAgain' },
          { guard: 'isRight', actions: 'applyIncoming' },
        ],
        'msg.unlock': [
          { guard: 'isRepeated', actions: 'acknowledgeAgain' },
          { guard: 'isRight', actions: 'applyIncoming' },
        ],
        'msg.lockExpired': [
          { guard: 'isRepeated', actions: 'acknowledgeAgain' },
          { guard: 'isRight', actions: 'applyIncoming' },
        ],
        'msg.sync': [
          { guard: 'isAhead', target: 'stale', actions: 'noteStale' },
          { guard: 'isSync', actions: 'answerSync' },
        ],
        'cmd.setRevealTimeout': [
          { guard: 'canSetReveal', actions: 'setRevealTimeout' },
          { actions: 'refuse' },
        ],
        'cmd.close': { target: 'closing', actions: 'submitClose' },
      },
      states: {
        idle: {
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
          always: { guard: 'hasNoDeposit', target: 'idle' },
          on: { 'cmd.deposit': { actions: { type: 'refuse', params: { code: 'busy' } } } },
        },
      },
    },
    // An old copy of the database is running: whatever this channel signed now could be used against us.
    stale: { on: { 'cmd.close': { target: 'closing.stale', actions: 'submitClose' } } },
    // The closing signature binds what we hold of the partner: nothing newer of it is taken, no new lock
    // is signed. What our own pending locks have become is still said, but not by an old database.
    closing: {
      initial: 'sound',
      on: { 'cmd.close': { actions: { type: 'refuse', params: { code: 'busy' } } } },
      states: {
        sound: {
          on: {
            'told.unlock': { guard: 'hasLock', actions: 'unlock' },
            'told.expireLock': { guard: 'hasLock', actions: 'expireLock' },
            'chain.tx': {
              guard: { type: 'isFailedJob', params: { job: 'close' } },
              target: '#channel.opened',
              actions: 'refuseClose',
            },
          },
        },
        stale: {
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
    // What the partner closed with may be old: until the settlement the newest proof can replace it.
    closed: {
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
    // Both sides try and the first settles for both; a try that failed is repeated until the log is seen.
    settling: {
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
      on: {
        'chain.channelUnlocked': [
          { guard: 'isLastUnlock', target: 'gone' },
          { actions: 'noteUnlocked' },
        ],
        'chain.tx': { guard: 'isFailed', actions: 'tryLater' },
        'chain.block': { actions: 'submitUnlocks' },
      },
    },
    gone: { type: 'final', entry: 'tellGone' },
  },
});

/** Why the command cannot be taken while the channel is open, or null. */
function refusalOf(
  channel: ChannelContext,
  event: Extract<Stamped<ChannelEvent>, { type: (typeof COMMANDS)[number] }>,
): Code | null {
  switch (event.type) {
    case 'cmd.deposit':
      return steps.channelDepositRefusal(channel, event);
    case 'cmd.setRevealTimeout':
      return steps.revealTimeoutRefusal(channel, event);
    case 'cmd.close':
      return null;
  }
}
