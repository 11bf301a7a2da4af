/**
 * The payee's side: one hop after the other is asked to take the transfer; its lock is paid, or taken away when it has
 * run out. Protocol section 4.4.
 */
import {
  isLockTimeoutAllowed,
  longestMediated,
  senderRemovalBlock,
} from '../../src/protocol/channel/expiration.ts';
import type { Effect } from '../effects.ts';
import { type ForwardLock, hopName, type LockForwarded } from '../events/notices.ts';
import { type MediatorContext, type MediatorStep, on, onAny, when, woken } from './context.ts';
import { notePaid, OF_CHANNEL, registered } from './payer.ts';

/**
 * Whether the transfer may still be passed on. The payer's lock has to leave time to register the secret, and must
 * not outlive the settlement of its channel: the payer could take its amount back while we still owe the payee. Nor may
 * it keep its place here for longer than locks of this node do.
 */
function canForward({ payer, expiration }: MediatorContext, nowBlock: bigint): boolean {
  const { revealTimeout, settleTimeout } = payer;
  const lockTimeout = expiration - nowBlock;
  return (
    isLockTimeoutAllowed(lockTimeout, revealTimeout, settleTimeout) &&
    lockTimeout <= longestMediated(revealTimeout)
  );
}

/** Asks the hop of this number; when there is none left, all are asked again at the next block. */
function askHop(mediator: MediatorContext, hop: number, nowBlock: bigint): MediatorStep {
  const { id: from, hops, token, amount: amountIn, payer, fees } = mediator;
  const patch = { ...woken(mediator, { payeeBlock: nowBlock + 1n }), hop };
  const partner = hops[hop];
  if (partner === undefined) return { patch, effects: [] };
  const { paymentId, secrethash, expiration, initiator, target, metadata } = mediator;
  const passedOn = { paymentId, secrethash, expiration, initiator, target, metadata };
  const event: ForwardLock = {
    type: 'actor.forwardLock',
    from,
    amountIn,
    payer,
    fees,
    ...passedOn,
  };
  return { patch, effects: [{ type: 'notify', to: hopName(token, partner), event }] };
}

/** The transfer went on: our lock ends when the payer's does. */
function noteForwarded(mediator: MediatorContext, event: LockForwarded): MediatorStep {
  const { channel, partner, amount } = event;
  const payeeBlock = senderRemovalBlock(mediator.expiration, mediator.confirmations);
  return {
    patch: { ...woken(mediator, { payeeBlock }), payee: { channel, partner, amount } },
    effects: [],
  };
}

/** Nothing more is to be done for the payee at any block. */
function restPayee(mediator: MediatorContext): MediatorStep {
  return { patch: woken(mediator, { payeeBlock: null }), effects: [] };
}

/** The payee's channel is closed: until the lock runs out the payee can claim it on chain. */
export function watchPayee(mediator: MediatorContext): MediatorStep {
  return { patch: woken(mediator, { payeeBlock: mediator.expiration }), effects: [] };
}

/** Pays the payee; the channel signs it. */
export function unlockPayee(mediator: MediatorContext): Effect[] {
  const { payee, secret, secrethash, paymentId } = mediator;
  if (payee === null || secret === null) throw new Error('mediator: pays without lock or secret');
  const event = { type: 'actor.unlock', secrethash, secret, paymentId } as const;
  return [{ type: 'notify', to: payee.channel, event }];
}

/** Our lock has run out and no secret is on chain that could claim it. */
export function expirePayee(mediator: MediatorContext): MediatorStep {
  const { payee, secrethash } = mediator;
  const event = { type: 'actor.expireLock', secrethash } as const;
  const effects: Effect[] = payee === null ? [] : [{ type: 'notify', to: payee.channel, event }];
  return { patch: woken(mediator, { payeeBlock: null }), effects };
}

export const guards = {
  canBegin: ({ context }: { context: MediatorContext }) => canForward(context, context.nowBlock),
  canForward: when((mediator, { nowBlock }) => canForward(mediator, nowBlock), 'chain.block'),
  isForwarded: ({ context }: { context: MediatorContext }) => context.payee !== null,
  isFromPayee: when(({ payee }, { channel }) => channel === payee?.channel, ...OF_CHANNEL),
  isPayeeDue: when(
    ({ payeeBlock }, { nowBlock }) => payeeBlock !== null && nowBlock >= payeeBlock,
    'chain.block',
  ),
};

export const actions = {
  // The event that an actor is spawned with has no block, but its input has one.
  askFirstHop: onAny((mediator, { nowBlock }) =>
    askHop(mediator, 0, nowBlock ?? mediator.nowBlock),
  ),
  askNextHop: on(
    (mediator, { nowBlock }) => askHop(mediator, mediator.hop + 1, nowBlock),
    'actor.lockRefused',
    'actor.nobody',
  ),
  noteForwarded: on(noteForwarded, 'actor.lockForwarded'),
  noteRefunded: onAny(() => ({ patch: { isRefunded: true }, effects: [] })),
  tellPayeeChannel: onAny((mediator) => ({
    patch: {},
    effects: registered(mediator, mediator.payee?.channel),
  })),
  unlockPayee: onAny((mediator) => ({ patch: {}, effects: unlockPayee(mediator) })),
  notePaidOut: onAny((mediator) => notePaid(mediator, 'isPaidOut')),
  watchPayee: onAny(watchPayee),
  expirePayee: onAny(expirePayee),
  restPayee: onAny(restPayee),
};
