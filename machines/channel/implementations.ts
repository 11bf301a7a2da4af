/** The guards and actions that the chart of a channel names: each is one of its pure checks or steps. */
import { assign, enqueueActions, setup } from 'xstate';
import { withoutWithdraws } from '../../src/protocol/channel/channel-end.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Effect } from '../effects.ts';
import type { AddLock, ForwardLock } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import type { ChannelInput } from '../inputs.ts';
import { binding, only, take } from '../step.ts';
import * as closing from './closing.ts';
import * as revealTimeouts from './commands.ts';
import type { ChannelContext, ChannelEvent } from './context.ts';
import * as deposit from './deposit.ts';
import * as dispute from './dispute.ts';
import { registeredAfterSettle, unlocksAfterSettle } from './dispute.ts';
import * as incoming from './incoming.ts';
import { incomingStep, isRepeated } from './incoming.ts';
import * as locks from './locks.ts';
import { lockRefusal } from './locks.ts';
import { forwardable, forwardLock } from './mediation.ts';
import { closeNotices, goneEffects, refusal, replyChannel, settledNotice } from './notices.ts';
import * as sync from './sync.ts';
import { syncMessage } from './sync.ts';
import { leastReveal, revealAdvice, withSettings } from './timeouts.ts';
import { noteWithdraw, withdrawAdvice, withdrawRefusal } from './withdraws.ts';

const INCOMING = [
  'msg.lockedTransfer',
  'msg.refundTransfer',
  'msg.unlock',
  'msg.lockExpired',
] as const;
const REPEATED = [...INCOMING, 'msg.withdrawConfirmation', 'msg.withdrawExpired'] as const;
const COMMANDS = ['cmd.deposit', 'cmd.withdraw', 'cmd.close', 'cmd.setRevealTimeout'] as const;

const NOBODY_WAITS = { closeRequest: null, deposit: null, withdraw: null } as const;

const { on } = binding<ChannelContext, Stamped<ChannelEvent>>();

export const channelImplementations = setup({
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
      locks.hasLock(context, only(event, 'actor.unlock', 'actor.expireLock')),
    isUnanswered: ({ context, event }) =>
      locks.unansweredLock(context, only(event, 'actor.unanswered')) !== undefined,
    isRepeated: ({ context, event }) => isRepeated(context, only(event, ...INCOMING)),
    isRight: ({ context, event }) => incomingStep(context, only(event, ...INCOMING)).ok,
    isAhead: ({ context, event }) => sync.isAhead(context, only(event, 'msg.sync')),
    isUnknownWithdraw: ({ context, event }) =>
      sync.isUnknownWithdraw(context, only(event, 'chain.channelWithdraw')),
    isAfterGap: ({ context, event }) => sync.isAfterGap(context, only(event, ...INCOMING)),
    isSync: ({ context, event }) => sync.isSync(context, only(event, 'msg.sync')),
    isSameDeposit: ({ context, event }) =>
      only(event, 'cmd.deposit').totalDeposit === context.ownEnd.deposit,
    canDeposit: ({ context, event }) =>
      deposit.channelDepositRefusal(context, only(event, 'cmd.deposit')) === null,
    canSetReveal: ({ context, event }) =>
      revealTimeouts.revealTimeoutRefusal(context, only(event, 'cmd.setRevealTimeout')) === null,
    isOwnDepositJob: ({ context, event }) => only(event, 'chain.tx').key === context.deposit?.key,
    hasDeposit: ({ context }) => context.deposit !== null,
    hasNoDeposit: ({ context }) => context.deposit === null,
    isFailedJob: ({ context, event }, { job }: { job: string }) => {
      const ended = only(event, 'chain.tx');
      return !ended.ok && ended.key === dispute.jobKey(context, job);
    },
    isFailed: ({ event }) => !only(event, 'chain.tx').ok,
    isClaimDue: ({ context, event }) => closing.isClaimDue(context, event.nowBlock),
    isUnasked: ({ context }) => context.closeRequest === null,
    canSettle: ({ context, event }) => event.nowBlock >= dispute.settleBlock(context),
    leavesLocks: ({ context, event }) =>
      unlocksAfterSettle(context, only(event, 'chain.channelSettled')).length > 0,
    isLastUnlock: ({ context, event }) =>
      dispute.unlocksAfter(context, only(event, 'chain.channelUnlocked')).length === 0,
  },
  actions: {
    addLock: on(locks.addLock, 'actor.addLock'),
    refuseLock: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, 'actor.addLock', 'actor.forwardLock');
      const code = given?.code ?? lockRefusalOf(context, asked) ?? 'channel_not_open';
      take(enqueue, locks.refuseLock(asked, code));
    }),
    forwardLock: on(forwardLock, 'actor.forwardLock'),
    unlock: on(locks.unlock, 'actor.unlock'),
    expireLock: on(locks.expireLock, 'actor.expireLock'),
    noteRegistered: on(locks.noteRegistered, 'actor.secretRegistered'),
    giveKeeper: on(locks.giveKeeper, 'actor.unanswered'),
    noteSettings: assign(({ context, event }) =>
      withSettings(context, only(event, 'actor.settings')),
    ),
    applyIncoming: on(incoming.applyIncoming, ...INCOMING),
    acknowledgeAgain: on(incoming.acknowledgeAgain, ...REPEATED),
    noteStale: on(sync.noteStale, 'msg.sync'),
    noteUnknownWithdraw: on(sync.noteUnknownWithdraw, 'chain.channelWithdraw'),
    noteOldCopy: enqueueActions(({ context, enqueue }) => take(enqueue, sync.noteOldCopy(context))),
    answerSync: on(sync.answerSync, 'msg.sync'),
    tellHeld: enqueueActions(({ context, enqueue }) => enqueue.emit(syncMessage(context, false))),
    sendSync: enqueueActions(({ context, enqueue }) => enqueue.emit(syncMessage(context, true))),
    noteDeposit: on(deposit.noteDeposit, 'chain.channelDeposit'),
    // No funds of a join go into a channel that can only be closed.
    noteDepositOnly: enqueueActions(({ context, event, enqueue }) => {
      const { patch } = deposit.noteDeposit(context, only(event, 'chain.channelDeposit'));
      take(enqueue, { patch, effects: [] });
    }),
    noteWithdraw: on(noteWithdraw, 'chain.channelWithdraw'),
    startDeposit: on(deposit.startDeposit, 'cmd.deposit'),
    endDeposit: on(deposit.endDeposit, 'chain.tx'),
    setRevealTimeout: on(revealTimeouts.setRevealTimeout, 'cmd.setRevealTimeout'),
    replyChannel: enqueueActions(({ context, event, enqueue }) =>
      enqueue.emit(replyChannel(context, only(event, ...COMMANDS).requestId)),
    ),
    refuse: enqueueActions(({ context, event, enqueue }, given: { code: Code } | undefined) => {
      const asked = only(event, ...COMMANDS);
      const code = given?.code ?? refusalOf(context, asked) ?? 'channel_not_open';
      enqueue.emit(refusal(asked.requestId, code, adviceOn(asked, code, context)));
    }),
    submitClose: enqueueActions(({ context, event, enqueue }) => {
      const closeRequest = only(event, 'cmd.close').requestId;
      const next = { ...context, closeRequest, jobs: context.jobs + 1 };
      take(enqueue, { patch: next, effects: [closing.closeTx(next)] });
    }),
    refuseClose: enqueueActions(({ context, event, enqueue }) => {
      const ended = only(event, 'chain.tx');
      if (ended.ok) return;
      const { closeRequest: asker } = context;
      const effects = asker === null ? [] : [refusal(asker, ended.code, ended.detail)];
      take(enqueue, { patch: { closeRequest: null }, effects });
    }),
    closeToClaim: enqueueActions(({ context, enqueue }) =>
      take(enqueue, closing.closeToClaim(context)),
    ),
    joinClose: on(closing.joinClose, 'cmd.close'),
    wakeInTime: assign(({ context }) => ({ wakeBlock: closing.openWakeBlock(context) })),
    claimLater: assign(({ context, event }) => ({
      wakeBlock: closing.wakeAfterFailedClose(context, event.nowBlock),
    })),
    noteClosed: enqueueActions(({ context, event, enqueue }) => {
      const closed = dispute.disputeAfterClose(context, only(event, 'chain.channelClosed'));
      const ownEnd = withoutWithdraws(context.ownEnd);
      const partnerEnd = withoutWithdraws(context.partnerEnd);
      const next = { ...context, ownEnd, partnerEnd, dispute: closed, jobs: context.jobs + 1 };
      const effects = [...closeNotices(next), ...dispute.updateEffects(next)];
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
      take(enqueue, { patch: { wakeBlock: null }, effects: goneEffects(context) }),
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
  if (asked.type === 'cmd.deposit') return deposit.depositAdvice(code);
  if (asked.type === 'cmd.setRevealTimeout' && code === 'invalid_timeout')
    return revealAdvice(channel, leastReveal({ ...channel, minRevealTimeout: asked.minimum }));
  return asked.type === 'cmd.withdraw' ? withdrawAdvice(code) : '';
}

type Command = Extract<Stamped<ChannelEvent>, { type: (typeof COMMANDS)[number] }>;

/** Why the command cannot be taken while the channel is open, or null. */
function refusalOf(channel: ChannelContext, event: Command): Code | null {
  switch (event.type) {
    case 'cmd.deposit':
      return deposit.channelDepositRefusal(channel, event);
    case 'cmd.withdraw':
      return withdrawRefusal(channel, event);
    case 'cmd.setRevealTimeout':
      return revealTimeouts.revealTimeoutRefusal(channel, event);
    case 'cmd.close':
      return null;
  }
}
