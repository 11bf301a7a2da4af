/** The guards and actions that the chart of a channel names: each is one of its pure checks or steps. */
import { assign, enqueueActions, setup } from 'xstate';
import { withoutWithdraws } from '../../src/protocol/channel-end.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Effect } from '../effects.ts';
import type { AddLock, ForwardLock } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import type { ChannelInput } from '../inputs.ts';
import { only, take } from '../step.ts';
import type { ChannelContext, ChannelEvent } from './context.ts';
import { depositAdvice } from './deposit-limits.ts';
import * as dispute from './dispute.ts';
import { settledNotice, syncMessage } from './effects.ts';
import { forwardable } from './mediation.ts';
import * as owed from './owed.ts';
import * as stale from './stale.ts';
import * as steps from './steps.ts';
import { leastReveal, revealAdvice, withSettings } from './timeouts.ts';
import { incomingStep, isRepeated, lockRefusal } from './transfers.ts';
import { registeredAfterSettle, unlocksAfterSettle } from './unlocks.ts';
import { withdrawAdvice, withdrawRefusal } from './withdraws.ts';

const INCOMING = [
  'msg.lockedTransfer',
  'msg.refundTransfer',
  'msg.unlock',
  'msg.lockExpired',
] as const;
const REPEATED = [...INCOMING, 'msg.withdrawConfirmation', 'msg.withdrawExpired'] as const;
const COMMANDS = ['cmd.deposit', 'cmd.withdraw', 'cmd.close', 'cmd.setRevealTimeout'] as const;

const NOBODY_WAITS = { closeRequest: null, deposit: null, withdraw: null } as const;

export const channelParts = setup({
  types: {
    context: {} as ChannelContext,
    events: {} as Stamped<ChannelEvent>,
    emitted: {} as Effect,
    input: {} as ChannelInput & { id: string },
  },
  guards: {
    canLock: ({ context, event }) => lockRefusal(context, only(event, 'actor.addLock')) === null,
    canForward: ({ context, event }) => forwardable(context, only(event, 'actor.forwardLock')).ok,
    hasLock: ({ context, event }) =>
      steps.hasLock(context, only(event, 'actor.unlock', 'actor.expireLock')),
    isUnanswered: ({ context, event }) =>
      steps.unansweredLock(context, only(event, 'actor.unanswered')) !== undefined,
    isRepeated: ({ context, event }) => isRepeated(context, only(event, ...INCOMING)),
    isRight: ({ context, event }) => incomingStep(context, only(event, ...INCOMING)).ok,
    isAhead: ({ context, event }) => stale.isAhead(context, only(event, 'msg.sync')),
    isUnknownWithdraw: ({ context, event }) =>
      stale.isUnknownWithdraw(context, only(event, 'chain.channelWithdraw')),
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
    isClaimDue: ({ context, event }) => owed.isClaimDue(context, event.nowBlock),
    isUnasked: ({ context }) => context.closeRequest === null,
    canSettle: ({ context, event }) => event.nowBlock >= dispute.settleBlock(context),
    leavesLocks: ({ context, event }) =>
      unlocksAfterSettle(context, only(event, 'chain.channelSettled')).length > 0,
    isLastUnlock: ({ context, event }) =>
      dispute.unlocksAfter(context, only(event, 'chain.channelUnlocked')).length === 0,
  },
  actions: {
    addLock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.addLock(context, only(event, 'actor.addLock'))),
    ),
    refuseLock: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, 'actor.addLock', 'actor.forwardLock');
      const code = given?.code ?? lockRefusalOf(context, asked) ?? 'channel_not_open';
      take(enqueue, steps.refuseLock(asked, code));
    }),
    forwardLock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.forwardLock(context, only(event, 'actor.forwardLock'))),
    ),
    unlock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.unlock(context, only(event, 'actor.unlock'))),
    ),
    expireLock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.expireLock(context, only(event, 'actor.expireLock'))),
    ),
    noteRegistered: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.noteRegistered(context, only(event, 'actor.secretRegistered'))),
    ),
    giveKeeper: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.giveKeeper(context, only(event, 'actor.unanswered'))),
    ),
    noteSettings: assign(({ context, event }) =>
      withSettings(context, only(event, 'actor.settings')),
    ),
    applyIncoming: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.applyIncoming(context, only(event, ...INCOMING))),
    ),
    acknowledgeAgain: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.acknowledgeAgain(context, only(event, ...REPEATED))),
    ),
    noteStale: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, stale.noteStale(context, only(event, 'msg.sync'))),
    ),
    noteUnknownWithdraw: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, stale.noteUnknownWithdraw(context, only(event, 'chain.channelWithdraw'))),
    ),
    noteOldCopy: enqueueActions(({ context, enqueue }) =>
      take(enqueue, stale.noteOldCopy(context)),
    ),
    answerSync: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.answerSync(context, only(event, 'msg.sync'))),
    ),
    sendSync: enqueueActions(({ context, enqueue }) => enqueue.emit(syncMessage(context, true))),
    noteDeposit: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, steps.noteDeposit(context, only(event, 'chain.channelDeposit'))),
    ),
    // Nothing is put into a channel that can only be closed.
    noteDepositOnly: enqueueActions(({ context, event, enqueue }) => {
      const { patch } = steps.noteDeposit(context, only(event, 'chain.channelDeposit'));
      take(enqueue, { patch, effects: [] });
    }),
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
      enqueue.emit(steps.refusal(asked.requestId, code, adviceOn(asked, code, context)));
    }),
    submitClose: enqueueActions(({ context, event, enqueue }) => {
      const closeRequest = only(event, 'cmd.close').requestId;
      const next = { ...context, closeRequest, jobs: context.jobs + 1 };
      take(enqueue, { patch: next, effects: [dispute.closeTx(next)] });
    }),
    refuseClose: enqueueActions(({ context, event, enqueue }) => {
      const ended = only(event, 'chain.tx');
      if (ended.ok) return;
      const { closeRequest: asker } = context;
      const effects = asker === null ? [] : [steps.refusal(asker, ended.code, ended.detail)];
      take(enqueue, { patch: { closeRequest: null }, effects });
    }),
    closeToClaim: enqueueActions(({ context, enqueue }) =>
      take(enqueue, owed.closeToClaim(context)),
    ),
    joinClose: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, owed.joinClose(context, only(event, 'cmd.close'))),
    ),
    wakeInTime: assign(({ context }) => ({ wakeBlock: owed.openWakeBlock(context) })),
    claimLater: assign(({ context, event }) => ({
      wakeBlock: owed.wakeAfterFailedClose(context, event.nowBlock),
    })),
    noteClosed: enqueueActions(({ context, event, enqueue }) => {
      const closed = dispute.disputeAfterClose(context, only(event, 'chain.channelClosed'));
      const ownEnd = withoutWithdraws(context.ownEnd);
      const partnerEnd = withoutWithdraws(context.partnerEnd);
      const next = { ...context, ownEnd, partnerEnd, dispute: closed, jobs: context.jobs + 1 };
      const effects = [...steps.closeNotices(next), ...dispute.updateEffects(next)];
      const wakeBlock = dispute.settleBlock(next);
      take(enqueue, { patch: { ...next, wakeBlock, ...NOBODY_WAITS }, effects });
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
      const unlocks = unlocksAfterSettle(context, only(event, 'chain.channelSettled'));
      take(enqueue, { patch: { unlocks, wakeBlock: null }, effects: [settledNotice(context)] });
    }),
    notePaid: assign(({ context, event }) => ({
      registered: registeredAfterSettle(context, only(event, 'chain.channelSettled')),
    })),
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
});

function lockRefusalOf(
  channel: ChannelContext,
  event: Stamped<AddLock | ForwardLock>,
): Code | null {
  if (event.type === 'actor.addLock') return lockRefusal(channel, event);
  const asked = forwardable(channel, event);
  return asked.ok ? null : asked.code;
}

function adviceOn(asked: Command, code: Code, channel: ChannelContext): string {
  if (asked.type === 'cmd.deposit') return depositAdvice(code);
  if (asked.type === 'cmd.setRevealTimeout' && code === 'invalid_timeout')
    return revealAdvice(channel, leastReveal({ ...channel, minRevealTimeout: asked.minimum }));
  return asked.type === 'cmd.withdraw' ? withdrawAdvice(code) : '';
}

type Command = Extract<Stamped<ChannelEvent>, { type: (typeof COMMANDS)[number] }>;

/** Why the command cannot be taken while the channel is open, or null. */
function refusalOf(channel: ChannelContext, event: Command): Code | null {
  switch (event.type) {
    case 'cmd.deposit':
      return steps.channelDepositRefusal(channel, event);
    case 'cmd.withdraw':
      return withdrawRefusal(channel, event);
    case 'cmd.setRevealTimeout':
      return steps.revealTimeoutRefusal(channel, event);
    case 'cmd.close':
      return null;
  }
}
