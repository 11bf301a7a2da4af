/**
 * One lock that no payment actor looks after: this node only makes sure that the lock can still be claimed, or taken
 * back, on chain.
 *
 * A keeper never pays anything off chain, because nobody knows whether somebody else has paid for the lock. A lock of
 * the partner may be claimed; a lock of our own comes back when it has expired. Registering a secret costs gas, so it
 * is done only where money of this node may depend on the lock: nobody can make us pay for a transfer that was never
 * passed on. The keeper lives until its lock is gone.
 */
import { and, setup } from 'xstate';
import type { KeeperInput } from '../base/inputs.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import { type KeeperContext, type KeeperEvent, type KeeperTag, newKeeper } from './context.ts';
import * as keeping from './keeping.ts';

export const keeperMachine = setup({
  types: {
    context: {} as KeeperContext,
    events: {} as Stamped<KeeperEvent>,
    emitted: {} as Effect,
    input: {} as KeeperInput,
    tags: {} as KeeperTag,
  },
  guards: keeping.guards,
  actions: keeping.actions,
}).createMachine({
  id: 'keeper',
  description: 'A lock that no payment answers for: until it is paid or gone.',
  context: ({ input }) => newKeeper(input),
  initial: 'found',
  on: {
    'actor.unlocked': { guard: 'isOwnChannel', target: '.over' },
    'actor.lockGone': { guard: 'isOwnChannel', target: '.over' },
    'actor.ownLockGone': { guard: 'isOwnChannel', target: '.over' },
    'chain.secretRevealed': { guard: 'isInTime', target: '.registered', actions: 'learn' },
  },
  states: {
    found: {
      tags: ['keepsLock'],
      description: 'Whose lock it is, and whether its secret is public, is looked at once.',
      always: [
        { guard: 'isPublic', target: 'registered' },
        { guard: 'isOwn', target: 'owing' },
        { target: 'holding' },
      ],
    },
    owing: {
      tags: ['keepsLock'],
      description:
        'Our lock: the payee claims it on chain before it runs out, or it is taken back.',
      entry: 'wakeAtRemoval',
      on: { 'chain.block': { target: 'over', actions: 'expireLock' } },
    },
    holding: {
      tags: ['keepsLock', 'isHolding'],
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
      tags: ['keepsLock', 'isRegistering'],
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
      tags: ['keepsLock', 'isRegistered'],
      description: 'The secret stands on chain in time: the lock can be claimed there.',
      entry: ['rest', 'tellRegistered'],
    },
    late: {
      tags: ['keepsLock'],
      description:
        'Too late to claim: the lock stays until the partner, or the chain, takes it away.',
      entry: 'rest',
    },
    over: { type: 'final', description: 'The lock is gone.', entry: 'rest' },
  },
});
