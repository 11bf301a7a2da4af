/** The guards and actions that the chart of a mediator names: each is one of its pure checks or steps. */
import { assign, enqueueActions, setup } from 'xstate';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import type { MediatorInput } from '../inputs.ts';
import { isPublicInTime, isRegisteredInTime } from '../registering.ts';
import { binding, only, take } from '../step.ts';
import type { MediatorContext, MediatorEvent } from './context.ts';
import * as hops from './hops.ts';
import * as outcome from './outcome.ts';
import * as payee from './payee.ts';
import * as payer from './payer.ts';

const OF_CHANNEL = [
  'actor.unlocked',
  'actor.lockGone',
  'actor.ownLockGone',
  'actor.channelClosed',
  'actor.refunded',
] as const;
const WITH_SECRET = ['msg.revealSecret', 'chain.secretRevealed', 'actor.unlocked'] as const;

const { on } = binding<MediatorContext, Stamped<MediatorEvent>>();

export const mediatorImplementations = setup({
  types: {
    context: {} as MediatorContext,
    events: {} as Stamped<MediatorEvent>,
    emitted: {} as Effect,
    input: {} as MediatorInput,
  },
  guards: {
    canBegin: ({ context }) => hops.canForward(context, context.nowBlock),
    canForward: ({ context, event }) => hops.canForward(context, event.nowBlock),
    isForwarded: ({ context }) => context.payee !== null,
    isUnknown: ({ context }) => context.secret === null,
    isPayable: ({ context, event }) => payer.isPayable(context, only(event, 'msg.revealSecret')),
    isBeforeExpiration: ({ context, event }) => event.nowBlock < context.expiration,
    isFromPayer: ({ context, event }) =>
      only(event, ...OF_CHANNEL).channel === context.payer.channel,
    isFromPayee: ({ context, event }) =>
      only(event, ...OF_CHANNEL).channel === context.payee?.channel,
    isSecretKnown: ({ context, event }) =>
      payer.secretIn(context, only(event, 'actor.unlocked')) !== null,
    isInTime: ({ context, event }) => isPublicInTime(context, only(event, 'chain.secretRevealed')),
    isFailed: ({ event }) => !only(event, 'chain.tx').ok,
    isMinedInTime: ({ context, event }) => isRegisteredInTime(context, only(event, 'chain.tx')),
    isPayerDue: ({ context, event }) =>
      context.payerBlock !== null && event.nowBlock >= context.payerBlock,
    isPayeeDue: ({ context, event }) =>
      context.payeeBlock !== null && event.nowBlock >= context.payeeBlock,
  },
  actions: {
    askFirstHop: enqueueActions(({ context, event, enqueue }) =>
      // The event that an actor is spawned with has no block, but its input has one.
      take(enqueue, hops.askHop(context, 0, event.nowBlock ?? context.nowBlock)),
    ),
    askNextHop: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, hops.askHop(context, context.hop + 1, event.nowBlock)),
    ),
    noteForwarded: on(hops.noteForwarded, 'actor.lockForwarded'),
    noteRefunded: assign({ isRefunded: true }),
    noteSettings: on(payer.noteSettings, 'actor.settings'),
    learn: assign(({ context, event }) => ({
      secret: payer.secretIn(context, only(event, ...WITH_SECRET)),
    })),
    noteLate: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, { patch: {}, effects: payer.noteLate(context, event.nowBlock) }),
    ),
    awaitUnlock: enqueueActions(({ context, enqueue }) =>
      take(enqueue, payer.awaitUnlock(context)),
    ),
    passBack: enqueueActions(({ context, enqueue }) =>
      take(enqueue, { patch: {}, effects: payer.passBack(context) }),
    ),
    register: enqueueActions(({ context, enqueue }) => take(enqueue, payer.register(context))),
    tryNextBlock: enqueueActions(({ context, event, enqueue }) =>
      take(enqueue, payer.tryNextBlock(context, event.nowBlock)),
    ),
    awaitPayer: enqueueActions(({ context, enqueue }) => take(enqueue, payer.awaitPayer(context))),
    restPayer: enqueueActions(({ context, enqueue }) => take(enqueue, payer.restPayer(context))),
    notePaidIn: enqueueActions(({ context, enqueue }) =>
      take(enqueue, outcome.notePaid(context, 'isPaidIn')),
    ),
    tellPayeeChannel: enqueueActions(({ context, enqueue }) => {
      const effects = payer.registered(context, context.payee?.channel);
      take(enqueue, { patch: {}, effects });
    }),
    unlockPayee: enqueueActions(({ context, enqueue }) =>
      take(enqueue, { patch: {}, effects: payee.unlockPayee(context) }),
    ),
    notePaidOut: enqueueActions(({ context, enqueue }) =>
      take(enqueue, outcome.notePaid(context, 'isPaidOut')),
    ),
    watchPayee: enqueueActions(({ context, enqueue }) => take(enqueue, payee.watchPayee(context))),
    expirePayee: enqueueActions(({ context, enqueue }) =>
      take(enqueue, payee.expirePayee(context)),
    ),
    restPayee: enqueueActions(({ context, enqueue }) => take(enqueue, payee.restPayee(context))),
  },
});
