/**
 * One lock that no payment actor looks after: this node only makes sure that the lock can still be claimed, or taken
 * back, on chain.
 *
 * A keeper never pays anything off chain, because nobody knows whether somebody else has paid for the lock. A lock of
 * the partner may be claimed; a lock of our own comes back when it has expired. Registering a secret costs gas, so it
 * is done only where money of this node may depend on the lock: nobody can make us pay for a transfer that was never
 * passed on. The keeper lives until its lock is gone.
 */
import * as v from 'valibot';
import { and, assign, enqueueActions, setup } from 'xstate';
import { senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import { count, hex, optionalUint } from '../../src/protocol/shapes.ts';
import type { Effect } from '../effects.ts';
import type { BlockReached, SecretRevealed, TransactionEnded } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type { LockGone, OwnLockGone, Unlocked } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { type KeeperInput, keeperInput } from '../inputs.ts';
import { isPublicInTime, isRegisteredInTime } from '../registering.ts';
import { only, type Step, take } from '../step.ts';

export const keeperContext = v.object({
  ...keeperInput.entries,
  secret: v.nullable(hex),
  /** Counts registrations, so that each try is a job of its own. */
  jobs: count,
  wakeBlock: optionalUint,
});
export type KeeperContext = v.InferOutput<typeof keeperContext>;
export type KeeperEvent =
  | RevealSecretReceived
  | SecretRevealed
  | Unlocked
  | LockGone
  | OwnLockGone
  | TransactionEnded
  | BlockReached;

function register(keeper: KeeperContext): Step<KeeperContext> {
  const { id, secret, expiration } = keeper;
  if (secret === null) throw new Error('keeper: registers a secret that it does not know');
  const jobs = keeper.jobs + 1;
  const key = `secret:${id}:${jobs}`;
  return {
    patch: { jobs, wakeBlock: null },
    effects: [{ type: 'tx.registerSecret', from: id, key, deadlineBlock: expiration - 1n, secret }],
  };
}

function tellChannel(
  { channel: to, secrethash, secret }: KeeperContext,
  type: 'actor.secretRegistered' | 'actor.expireLock',
): Effect {
  const event = type === 'actor.expireLock' ? { type, secrethash } : { type, secrethash, secret };
  return { type: 'notify', to, event };
}

export const keeperMachine = setup({
  types: {
    context: {} as KeeperContext,
    events: {} as Stamped<KeeperEvent>,
    emitted: {} as Effect,
    input: {} as KeeperInput,
  },
  guards: {
    isPublic: ({ context }) => context.isPublic,
    isOwn: ({ context }) => context.side === 'own',
    isUnexplained: ({ context }) => context.isUnexplained,
    isOwnChannel: ({ context, event }) =>
      only(event, 'actor.unlocked', 'actor.lockGone', 'actor.ownLockGone').channel ===
      context.channel,
    isBeforeExpiration: ({ context, event }) => event.nowBlock < context.expiration,
    isInTime: ({ context, event }) => isPublicInTime(context, only(event, 'chain.secretRevealed')),
    isFailed: ({ event }) => !only(event, 'chain.tx').ok,
    isMinedInTime: ({ context, event }) => isRegisteredInTime(context, only(event, 'chain.tx')),
  },
  actions: {
    learn: assign(({ event }) => {
      const told = only(event, 'msg.revealSecret', 'chain.secretRevealed');
      return { secret: 'message' in told ? told.message.secret : told.secret };
    }),
    wakeAtRemoval: assign(({ context }) => ({
      wakeBlock: senderRemovalBlock(context.expiration, context.confirmations),
    })),
    register: enqueueActions(({ context, enqueue }) => take(enqueue, register(context))),
    tryNextBlock: assign(({ event }) => ({ wakeBlock: event.nowBlock + 1n })),
    rest: assign({ wakeBlock: null }),
    tellRegistered: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(tellChannel(context, 'actor.secretRegistered')),
    ),
    expireLock: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(tellChannel(context, 'actor.expireLock')),
    ),
  },
}).createMachine({
  id: 'keeper',
  description: 'A lock that no payment answers for: until it is paid or gone.',
  context: ({ input }) => ({ ...input, secret: null, jobs: 0, wakeBlock: null }),
  initial: 'found',
  on: {
    'actor.unlocked': { guard: 'isOwnChannel', target: '.over' },
    'actor.lockGone': { guard: 'isOwnChannel', target: '.over' },
    'actor.ownLockGone': { guard: 'isOwnChannel', target: '.over' },
    'chain.secretRevealed': { guard: 'isInTime', target: '.registered', actions: 'learn' },
  },
  states: {
    found: {
      description: 'Whose lock it is, and whether its secret is public, is looked at once.',
      always: [
        { guard: 'isPublic', target: 'registered' },
        { guard: 'isOwn', target: 'owing' },
        { target: 'holding' },
      ],
    },
    owing: {
      description:
        'Our lock: the payee claims it on chain before it runs out, or it is taken back.',
      entry: 'wakeAtRemoval',
      on: { 'chain.block': { target: 'over', actions: 'expireLock' } },
    },
    holding: {
      description: 'The partner’s lock: its secret is not on chain.',
      on: {
        'msg.revealSecret': {
          guard: and(['isUnexplained', 'isBeforeExpiration']),
          target: 'registering',
          actions: ['learn', 'register'],
        },
      },
    },
    registering: {
      description: 'The secret is being registered on chain.',
      on: {
        'chain.tx': [
          { guard: 'isFailed', actions: 'tryNextBlock' },
          { guard: 'isMinedInTime', target: 'registered' },
          { target: 'late' },
        ],
        'chain.block': [{ guard: 'isBeforeExpiration', actions: 'register' }, { target: 'late' }],
      },
    },
    registered: {
      description: 'The secret stands on chain in time: the lock can be claimed there.',
      entry: ['rest', 'tellRegistered'],
    },
    late: {
      description:
        'Too late to claim: the lock stays until the partner, or the chain, takes it away.',
      entry: 'rest',
    },
    over: { type: 'final', description: 'The lock is gone.', entry: 'rest' },
  },
});
