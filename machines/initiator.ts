/**
 * One payment that this node starts, over one channel to its target or first hop.
 *
 * Rules: protocol section 4.3. It ends paid when the unlock is signed (or the secret stands on chain in
 * time), else failed when the lock has run out. Only a valid request of the target brings out the secret.
 */
import { assign, enqueueActions, setup } from 'xstate';
import type { Code } from '../src/protocol/codes.ts';
import { senderRemovalBlock } from '../src/protocol/expiration.ts';
import type { Effect, InitiatorInput } from './effects.ts';
import type {
  BlockReached,
  ChannelClosing,
  LockAdded,
  LockRefused,
  RevealSecretReceived,
  SecretRequestReceived,
  SecretRevealed,
  Stamped,
} from './events.ts';
import { only, take } from './step.ts';

export type InitiatorContext = InitiatorInput & {
  /** Null until the channel has taken the lock. */
  expiration: bigint | null;
  /** A request that did not fit was seen: the secret stays hidden for good. */
  isSpoilt: boolean;
  wakeBlock: bigint | null;
};
type InitiatorEvent =
  | LockAdded
  | LockRefused
  | ChannelClosing
  | SecretRequestReceived
  | RevealSecretReceived
  | SecretRevealed
  | BlockReached;

/** Whether the target asks for exactly what was locked for it, while the lock still stands. */
function isFitting(payment: InitiatorContext, event: Stamped<SecretRequestReceived>): boolean {
  const { order, expiration, isSpoilt } = payment;
  const { paymentId, amount } = event.message;
  if (isSpoilt || expiration === null || event.nowBlock >= expiration) return false;
  const isSame = paymentId === order.paymentId && event.message.expiration === expiration;
  return isSame && amount >= order.amount;
}

/** Whether the first hop shows the secret while an off-chain unlock can still count. */
function isPayable(payment: InitiatorContext, event: Stamped<RevealSecretReceived>): boolean {
  const { expiration, order } = payment;
  return event.sender === order.partner && expiration !== null && event.nowBlock < expiration;
}

const revealKey = (payment: InitiatorContext) => `reveal:${payment.id}`;

function reveal(payment: InitiatorContext): Effect {
  const { target, secret } = payment.order;
  const message = { type: 'RevealSecret', secret } as const;
  return { type: 'send.message', key: revealKey(payment), to: target, queue: null, message };
}

/** The lock is paid: unlock, remember, answer. */
function paid(payment: InitiatorContext): Effect[] {
  const { channel, secret, secrethash, paymentId, token, tokenNetwork, amount, target } =
    payment.order;
  const facts = { token, tokenNetwork, paymentId, secrethash, amount, target, channel };
  return [
    { type: 'tell', to: channel, event: { type: 'told.unlock', secrethash, secret, paymentId } },
    { type: 'done.message', key: revealKey(payment) },
    { type: 'record.paymentSent', ...facts },
    {
      type: 'reply.ok',
      requestId: payment.id,
      value: { kind: 'payment', order: payment.order },
    },
  ];
}

function failed(payment: InitiatorContext, code: Code, reason: string): Effect[] {
  const { secrethash, paymentId, token, tokenNetwork, amount, target, channel } = payment.order;
  const facts = { token, tokenNetwork, paymentId, secrethash, amount, target, channel };
  return [
    { type: 'done.message', key: revealKey(payment) },
    { type: 'record.paymentFailed', ...facts, code, reason },
    { type: 'reply.error', requestId: payment.id, code, detail: reason },
  ];
}

function expiredReason({ isSpoilt }: InitiatorContext): string {
  return isSpoilt
    ? 'lock expired: the secret request of the target did not fit the payment'
    : 'lock expired before the target was paid';
}

export const initiatorMachine = setup({
  types: {
    context: {} as InitiatorContext,
    events: {} as Stamped<InitiatorEvent>,
    emitted: {} as Effect,
    input: {} as InitiatorInput,
  },
  guards: {
    isFromTarget: ({ context, event }) =>
      only(event, 'msg.secretRequest').sender === context.order.target,
    isFitting: ({ context, event }) => {
      const request = only(event, 'msg.secretRequest');
      return request.sender === context.order.target && isFitting(context, request);
    },
    isPayable: ({ context, event }) => isPayable(context, only(event, 'msg.revealSecret')),
    isInTime: ({ context, event }) =>
      context.expiration !== null &&
      only(event, 'chain.secretRevealed').at.block < context.expiration,
  },
  actions: {
    askForLock: enqueueActions(({ context, enqueue }) => {
      const { channel, paymentId, amount, secrethash, lockTimeout, target, metadata } =
        context.order;
      const facts = { paymentId, amount, secrethash, lockTimeout, target, metadata };
      const { id: from, own: initiator } = context;
      const event = { type: 'told.addLock', from, initiator, ...facts };
      enqueue.emit({ type: 'tell', to: channel, event });
    }),
    noteLock: assign(({ context, event }) => {
      const { expiration } = only(event, 'told.lockAdded');
      return { expiration, wakeBlock: senderRemovalBlock(expiration, context.confirmations) };
    }),
    noteSpoilt: assign({ isSpoilt: true }),
    sendReveal: enqueueActions(({ context, enqueue }) => enqueue.emit(reveal(context))),
    stopRevealing: enqueueActions(({ context, enqueue }) =>
      enqueue.emit({ type: 'done.message', key: revealKey(context) }),
    ),
    pay: enqueueActions(({ context, enqueue }) =>
      take(enqueue, { patch: {}, effects: paid(context) }),
    ),
    tellRegistered: enqueueActions(({ context, enqueue }) => {
      const { channel, secret, secrethash } = context.order;
      const event = { type: 'told.secretRegistered', secrethash, secret };
      enqueue.emit({ type: 'tell', to: channel, event });
    }),
    failRefused: enqueueActions(({ context, event, enqueue }) => {
      const { code, detail } = only(event, 'told.lockRefused');
      take(enqueue, { patch: {}, effects: failed(context, code, detail) });
    }),
    failExpired: enqueueActions(({ context, enqueue }) => {
      const { channel, secrethash } = context.order;
      enqueue.emit({ type: 'tell', to: channel, event: { type: 'told.expireLock', secrethash } });
      const effects = failed(context, 'lock_expired', expiredReason(context));
      take(enqueue, { patch: {}, effects });
    }),
    failClosed: enqueueActions(({ context, enqueue }) => {
      const reason = 'the channel was closed before the target was paid';
      take(enqueue, { patch: {}, effects: failed(context, 'channel_closed', reason) });
    }),
  },
}).createMachine({
  id: 'initiator',
  // Awake at the next block: the channel answers at once, unless it is gone.
  context: ({ input }) => ({ ...input, expiration: null, isSpoilt: false, wakeBlock: 0n }),
  initial: 'locking',
  // Whoever registered it in time: the payee can claim the lock, or has to be paid now.
  on: {
    'chain.secretRevealed': {
      guard: 'isInTime',
      target: '.paid',
      actions: ['tellRegistered', 'pay'],
    },
  },
  states: {
    locking: {
      entry: 'askForLock',
      on: {
        'told.lockAdded': { target: 'locked', actions: 'noteLock' },
        'told.lockRefused': { target: 'failed', actions: 'failRefused' },
        'chain.block': { target: 'failed', actions: 'failClosed' },
      },
    },
    locked: {
      on: {
        // Only the first request of the target counts.
        'msg.secretRequest': [
          { guard: 'isFitting', target: 'revealed', actions: 'sendReveal' },
          { guard: 'isFromTarget', actions: 'noteSpoilt' },
        ],
        // Whoever gave us the secret may have given it to the first hop too.
        'msg.revealSecret': { guard: 'isPayable', target: 'paid', actions: 'pay' },
        'told.channelClosed': { target: 'disputed' },
        'chain.block': { target: 'failed', actions: 'failExpired' },
      },
    },
    revealed: {
      on: {
        'msg.revealSecret': { guard: 'isPayable', target: 'paid', actions: 'pay' },
        'told.channelClosed': { target: 'disputed', actions: 'stopRevealing' },
        'chain.block': { target: 'failed', actions: 'failExpired' },
      },
    },
    // No unlock can be signed any more: the payee is paid if the secret reaches the chain in time.
    disputed: {
      on: {
        'chain.block': { target: 'failed', actions: 'failClosed' },
      },
    },
    paid: { type: 'final' },
    failed: { type: 'final' },
  },
});
