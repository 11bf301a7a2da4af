/** The guards and actions of withdrawing, besides those in implementations.ts. */
import { enqueueActions } from 'xstate';
import { only, take } from '../step.ts';
import * as consents from './consents.ts';
import { channelImplementations } from './implementations.ts';
import * as withdraws from './withdraws.ts';

export const withdrawImplementations = channelImplementations.extend({
  guards: {
    isSameTotal: ({ context, event }) =>
      only(event, 'cmd.withdraw').totalWithdraw === context.ownEnd.withdrawn,
    canWithdraw: ({ context, event }) =>
      withdraws.withdrawRefusal(context, only(event, 'cmd.withdraw')) === null,
    isUnderWay: ({ context, event }) =>
      only(event, 'cmd.withdraw').totalWithdraw === context.withdraw?.totalWithdraw,
    hasWithdraw: ({ context }) => context.withdraw !== null,
    hasNoWithdraw: ({ context }) => context.withdraw === null,
    hasJob: ({ context }) => context.withdraw?.job != null,
    isWithdrawJob: ({ context, event }) => only(event, 'chain.tx').key === context.withdraw?.job,
    isLapsed: ({ context, event }) => withdraws.isLapsed(context, event.nowBlock),
    isConsent: ({ context, event }) =>
      withdraws.isConsent(context, only(event, 'msg.withdrawConfirmation')),
    isKnownConsent: ({ context, event }) =>
      withdraws.isKnownConsent(context, only(event, 'msg.withdrawConfirmation')),
    isAgreed: ({ context, event }) =>
      consents.isAgreed(context, only(event, 'msg.withdrawRequest')),
    canAgree: ({ context, event }) =>
      consents.canAgree(context, only(event, 'msg.withdrawRequest')),
    hasExpired: ({ context, event }) =>
      consents.hasExpired(context, only(event, 'msg.withdrawExpired')),
    isOver: ({ context, event }) => consents.isOver(context, only(event, 'msg.withdrawExpired')),
  },
  actions: {
    requestWithdraw: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, withdraws.requestWithdraw(context, only(event, 'cmd.withdraw'))),
    ),
    joinWithdraw: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, withdraws.joinWithdraw(context, only(event, 'cmd.withdraw'))),
    ),
    takeConsent: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, withdraws.takeConsent(context, only(event, 'msg.withdrawConfirmation'))),
    ),
    noteFailedWithdraw: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, withdraws.noteFailedWithdraw(context, only(event, 'chain.tx'))),
    ),
    expireWithdraw: enqueueActions(({ context, enqueue }) =>
      take(enqueue, withdraws.expireWithdraw(context)),
    ),
    agree: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, consents.agree(context, only(event, 'msg.withdrawRequest'))),
    ),
    agreeAgain: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, consents.agreeAgain(context, only(event, 'msg.withdrawRequest'))),
    ),
    noteExpired: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, consents.noteExpired(context, only(event, 'msg.withdrawExpired'))),
    ),
  },
});
