/**
 * One payment to this node. Its actor asks for the secret, passes it back to the payer, and is paid, on chain if need
 * be.
 *
 * Rules: protocol section 4.5. The actor lives until its lock is resolved in the channel, so that no unlock finds it
 * gone.
 */
import * as v from 'valibot';
import { and, assign, enqueueActions, setup } from 'xstate';
import {
  dangerBlock,
  isSafeToWait,
  lateBlock,
  leastRevealTimeout,
  receiverRemovalBlock,
} from '../../src/protocol/channel/expiration.ts';
import type { Secret } from '../../src/protocol/hex.ts';
import { count, optionalUint } from '../../src/protocol/shapes.ts';
import type { Effect } from '../effects.ts';
import type { BlockReached, SecretRevealed, TransactionEnded } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type { ChannelClosing, LockGone, SettingsTold, Unlocked } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { type TargetInput, targetInput } from '../inputs.ts';
import { charged, isPublicInTime, isRegisteredInTime } from '../registering.ts';
import { only, take } from '../step.ts';

export const targetContext = v.object({
  ...targetInput.entries,
  /** Counts registrations, so that each try is a job of its own. */
  jobs: count,
  wakeBlock: optionalUint,
});
export type TargetContext = v.InferOutput<typeof targetContext>;
export type TargetEvent =
  | RevealSecretReceived
  | SecretRevealed
  | Unlocked
  | LockGone
  | ChannelClosing
  | SettingsTold
  | TransactionEnded
  | BlockReached;

const requestKey = ({ id }: TargetContext) => `request:${id}`;
const revealKey = ({ id }: TargetContext) => `reveal:${id}`;

function request(payment: TargetContext): Effect {
  const { initiator, paymentId, secrethash, amount, expiration } = payment;
  const message = { type: 'SecretRequest', paymentId, secrethash, amount, expiration } as const;
  return { type: 'send.message', key: requestKey(payment), to: initiator, queue: null, message };
}

/** First block at which an off-chain unlock can no longer be waited for. */
const unsafeBlock = ({ expiration, revealTimeout }: TargetContext) =>
  dangerBlock(expiration, revealTimeout);

/**
 * First block at which a secret from the initiator comes too late. Of a mediated payment half of the time is left for those
 * before this target: else an initiator could show the secret in the last moment, and make the payer look as if it withheld
 * its unlock. Who pays directly shows the secret itself.
 */
function lastBlock(payment: TargetContext): bigint {
  const danger = unsafeBlock(payment);
  return payment.initiator === payment.payer ? danger : lateBlock(payment.nowBlock, danger);
}

/** The payment once its secret is known: it wakes up when waiting for the unlock gets dangerous. */
function learn(payment: TargetContext, secret: Secret): TargetContext {
  return { ...payment, secret, wakeBlock: unsafeBlock(payment) };
}

function passBack(payment: TargetContext, secret: Secret): Effect[] {
  const message = { type: 'RevealSecret', secret } as const;
  return [
    { type: 'done.message', key: requestKey(payment) },
    { type: 'send.message', key: revealKey(payment), to: payment.payer, queue: null, message },
  ];
}

function register(payment: TargetContext): Effect[] {
  const { id, payer, secret, expiration, jobs } = payment;
  if (secret === null) return [];
  const key = `secret:${id}:${jobs}`;
  return [
    ...charged(payer, jobs),
    { type: 'tx.registerSecret', from: id, key, deadlineBlock: expiration - 1n, secret },
  ];
}

const quiet = (payment: TargetContext): Effect[] => [
  { type: 'done.message', key: requestKey(payment) },
  { type: 'done.message', key: revealKey(payment) },
];

function received(payment: TargetContext): Effect[] {
  const { token, tokenNetwork, paymentId, secrethash, amount, initiator, channel } = payment;
  const facts = { token, tokenNetwork, paymentId, secrethash, amount, initiator, channel };
  return [...quiet(payment), { type: 'record.paymentReceived', ...facts }];
}

export const targetMachine = setup({
  types: {
    context: {} as TargetContext,
    events: {} as Stamped<TargetEvent>,
    emitted: {} as Effect,
    input: {} as TargetInput,
  },
  guards: {
    hasSecret: ({ context }) => context.secret !== null,
    isSafe: ({ context }) => {
      const { expiration, revealTimeout, nowBlock } = context;
      return isSafeToWait(expiration, revealTimeout, nowBlock);
    },
    // A target that passes the secret back later than this counts as paid, but may find no block left to claim its
    // lock in.
    isStillSafe: ({ context, event }) => event.nowBlock < lastBlock(context),
    isOwnChannel: ({ context, event }) =>
      only(event, 'actor.unlocked', 'actor.lockGone', 'actor.channelClosed').channel ===
      context.channel,
    isBeforeExpiration: ({ context, event }) => event.nowBlock < context.expiration,
    isInTime: ({ context, event }) => isPublicInTime(context, only(event, 'chain.secretRevealed')),
    isFailed: ({ event }) => !only(event, 'chain.tx').ok,
    isMinedInTime: ({ context, event }) => isRegisteredInTime(context, only(event, 'chain.tx')),
  },
  actions: {
    sendRequest: enqueueActions(({ context, enqueue }) => enqueue.emit(request(context))),
    wakeAtExpiration: assign(({ context }) => ({
      wakeBlock: receiverRemovalBlock(context.expiration, context.confirmations),
    })),
    learn: enqueueActions(({ context, event, enqueue }) => {
      const { secret } = only(event, 'msg.revealSecret').message;
      take(enqueue, { patch: learn(context, secret), effects: passBack(context, secret) });
    }),
    useSecret: enqueueActions(({ context, enqueue }) => {
      const { secret } = context;
      if (secret === null) return;
      take(enqueue, { patch: learn(context, secret), effects: passBack(context, secret) });
    }),
    // The channel is closed, so the payer can unlock no more and is not sent the secret: it learns the secret from
    // the chain, in time or never.
    learnQuietly: enqueueActions(({ context, event, enqueue }) => {
      const { secret } = only(event, 'msg.revealSecret').message;
      const effects: Effect[] = [{ type: 'done.message', key: requestKey(context) }];
      take(enqueue, { patch: learn(context, secret), effects });
    }),
    // More confirmations than before leave less time, so the reveal timeout may have to grow.
    noteSettings: assign(({ context, event }) => {
      const { confirmations } = only(event, 'actor.settings').settings;
      const revealTimeout = leastRevealTimeout(confirmations, context.revealTimeout);
      return { confirmations, revealTimeout };
    }),
    wakeAtDanger: assign(({ context }) => ({ wakeBlock: unsafeBlock(context) })),
    learnFromChain: enqueueActions(({ context, event, enqueue }) => {
      const { secret, secrethash } = only(event, 'chain.secretRevealed');
      const told = { type: 'actor.secretRegistered', secrethash, secret } as const;
      const effects: Effect[] = [{ type: 'notify', to: context.channel, event: told }];
      take(enqueue, { patch: { secret, wakeBlock: null }, effects });
    }),
    tellRegistered: enqueueActions(({ context, enqueue }) => {
      const { channel, secret, secrethash } = context;
      const event = { type: 'actor.secretRegistered', secrethash, secret } as const;
      enqueue.emit({ type: 'notify', to: channel, event });
    }),
    passBack: enqueueActions(({ context, enqueue }) => {
      const { secret } = context;
      if (secret !== null) take(enqueue, { patch: {}, effects: passBack(context, secret) });
    }),
    register: enqueueActions(({ context, enqueue }) => {
      const next = { ...context, jobs: context.jobs + 1, wakeBlock: null };
      take(enqueue, { patch: next, effects: register(next) });
    }),
    tryNextBlock: assign(({ event }) => ({ wakeBlock: event.nowBlock + 1n })),
    fallSilent: enqueueActions(({ context, enqueue }) =>
      take(enqueue, { patch: { wakeBlock: null }, effects: quiet(context) }),
    ),
    noteReceived: enqueueActions(({ context, enqueue }) =>
      take(enqueue, { patch: {}, effects: received(context) }),
    ),
  },
}).createMachine({
  id: 'target',
  description: 'A payment that reaches this node: until its lock is paid or gone.',
  context: ({ input }) => ({ ...input, jobs: 0, wakeBlock: null }),
  initial: 'received',
  on: {
    'actor.unlocked': { guard: 'isOwnChannel', target: '.paid' },
    'actor.lockGone': { guard: 'isOwnChannel', target: '.lost' },
    'actor.settings': { actions: 'noteSettings' },
    'chain.secretRevealed': {
      guard: 'isInTime',
      target: '.registered',
      actions: ['learnFromChain', 'passBack'],
    },
  },
  states: {
    received: {
      description:
        'The transfer has arrived; whether it is safe to take the secret is looked at once.',
      always: [
        { guard: and(['isSafe', 'hasSecret']), target: 'revealed', actions: 'useSecret' },
        { guard: 'isSafe', target: 'requesting', actions: ['sendRequest', 'wakeAtExpiration'] },
        { target: 'expiring' },
      ],
    },
    requesting: {
      description: 'The initiator is asked for the secret.',
      on: {
        'msg.revealSecret': { guard: 'isStillSafe', target: 'revealed', actions: 'learn' },
        'actor.channelClosed': { guard: 'isOwnChannel', target: 'closed' },
        'chain.block': { target: 'expiring', actions: 'fallSilent' },
      },
    },
    // When waiting for the unlock gets dangerous, the secret is registered on chain.
    revealed: {
      description: 'The payer has the secret and may still unlock.',
      on: {
        'actor.settings': { actions: ['noteSettings', 'wakeAtDanger'] },
        'actor.channelClosed': {
          guard: and(['isOwnChannel', 'isBeforeExpiration']),
          target: 'registering',
          actions: 'register',
        },
        'chain.block': [
          { guard: 'isBeforeExpiration', target: 'registering', actions: 'register' },
          { target: 'expiring', actions: 'fallSilent' },
        ],
      },
    },
    closed: {
      description: 'The channel is closed: a secret that comes now goes to the chain at once.',
      on: {
        'msg.revealSecret': {
          guard: 'isBeforeExpiration',
          target: 'registering',
          actions: ['learnQuietly', 'register'],
        },
        'chain.block': { target: 'expiring', actions: 'fallSilent' },
      },
    },
    registering: {
      description: 'The secret is being registered on chain.',
      on: {
        'chain.tx': [
          { guard: 'isFailed', actions: 'tryNextBlock' },
          { guard: 'isMinedInTime', target: 'registered', actions: 'tellRegistered' },
          { target: 'expiring', actions: 'fallSilent' },
        ],
        'chain.block': [
          { guard: 'isBeforeExpiration', actions: 'register' },
          { target: 'expiring', actions: 'fallSilent' },
        ],
      },
    },
    registered: {
      description: 'The secret stands on chain in time: the lock can be claimed there.',
    },
    expiring: {
      description:
        'Too late to claim: the lock stays until the payer, or the chain, takes it away.',
    },
    paid: { type: 'final', description: 'The payer has paid.', entry: 'noteReceived' },
    lost: { type: 'final', description: 'The lock is gone unpaid.', entry: 'fallSilent' },
  },
});
