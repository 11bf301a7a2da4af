/**
 * Locks that no payment actor looks after: how each gets a keeper, and what the keeper does. Either no other lock depends
 * on the lock: its transfer could not be passed on, its secrethash was in use already, or it gave a transfer back. Or the
 * lock is unexplained: its payment actor should exist and does not, so that another lock may depend on this one.
 */

import type { Hash } from '../../src/basics/hex.ts';
import { senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import type { Lock } from '../../src/protocol/channel/lock.ts';
import type { LockChange, RefundChange } from '../../src/protocol/messages/changes.ts';
import type { KeeperInput } from '../base/inputs.ts';
import { isPublicInTime, isRegisteredInTime, registration } from '../base/registering.ts';
import type { ChannelContext } from '../channel/context.ts';
import type { Spawn } from '../effects.ts';
import type { SecretRevealed } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import { type KeeperContext, type KeeperStep, on, onAny, when } from './context.ts';

export type LockSide = 'own' | 'partner';
type SpawnKeeper = Extract<Spawn, { type: 'spawn.keeper' }>;

/** The id of the keeper of a lock of one side of a channel. */
export function keeperId(channel: string, side: LockSide, secrethash: Hash): string {
  return `keeper:${secrethash}:${side}:${channel}`;
}

/** Spawns the keeper of a lock on which no other lock depends. */
export function heldLock(
  channel: ChannelContext,
  { lock, initiator, target, paymentId }: LockChange | RefundChange,
): SpawnKeeper {
  const kept = { channel: channel.id, side: 'partner', ...lock } as const;
  const role = target === channel.own ? 'target' : 'mediator';
  const transfer = { role, initiator, target, paymentId } as const;
  const known = { isUnexplained: false, isPublic: false, transfer };
  return keeper({ ...kept, ...known, confirmations: channel.confirmations });
}

/** Spawns the keeper of an unexplained lock of either side. */
export function unexplainedLock(
  { id, confirmations }: ChannelContext,
  lock: Lock,
  { side, isPublic }: Pick<KeeperInput, 'side' | 'isPublic'>,
): SpawnKeeper {
  const unknown = { isUnexplained: true, isPublic, transfer: null };
  return keeper({ channel: id, side, ...lock, ...unknown, confirmations });
}

/**
 * The keeper that is spawned instead of a payment actor whose lock is not taken, or whose secrethash is in use already: it
 * holds the lock until that expires.
 */
export function keeperInstead(spawn: Extract<Spawn, { type: 'spawn.target' }>): SpawnKeeper;
export function keeperInstead(spawn: Spawn): SpawnKeeper | null;
export function keeperInstead(spawn: Spawn): SpawnKeeper | null {
  if (spawn.type !== 'spawn.target' && spawn.type !== 'spawn.mediator') return null;
  const { secrethash, amount, expiration, confirmations, initiator, paymentId } = spawn.input;
  const taken =
    spawn.type === 'spawn.target'
      ? ({ channel: spawn.input.channel, role: 'target', target: spawn.input.own } as const)
      : ({
          channel: spawn.input.payer.channel,
          role: 'mediator',
          target: spawn.input.target,
        } as const);
  const { channel, role, target } = taken;
  return keeper({
    channel,
    side: 'partner',
    secrethash,
    amount,
    expiration,
    confirmations,
    isUnexplained: false,
    isPublic: false,
    transfer: { role, initiator, target, paymentId },
  });
}

function keeper(kept: Omit<KeeperInput, 'id'>): SpawnKeeper {
  const id = keeperId(kept.channel, kept.side, kept.secrethash);
  return { type: 'spawn.keeper', id, input: { id, ...kept } };
}

function learn(_: KeeperContext, told: RevealSecretReceived | SecretRevealed): KeeperStep {
  const { secret } = 'message' in told ? told.message : told;
  return { patch: { secret }, effects: [] };
}

function register(lock: KeeperContext): KeeperStep {
  const { secret } = lock;
  if (secret === null) throw new Error('keeper: registers a secret that it does not know');
  const jobs = lock.jobs + 1;
  return { patch: { jobs, wakeBlock: null }, effects: [registration(lock, secret, jobs)] };
}

function wakeAtRemoval({ expiration, confirmations }: KeeperContext): KeeperStep {
  return { patch: { wakeBlock: senderRemovalBlock(expiration, confirmations) }, effects: [] };
}

function tellChannel(
  { channel: to, secrethash, secret }: KeeperContext,
  type: 'actor.secretRegistered' | 'actor.expireLock',
): KeeperStep {
  const event = type === 'actor.expireLock' ? { type, secrethash } : { type, secrethash, secret };
  return { patch: {}, effects: [{ type: 'notify', to, event }] };
}

export const guards = {
  isPublic: ({ context }: { context: KeeperContext }) => context.isPublic,
  isOwn: ({ context }: { context: KeeperContext }) => context.side === 'own',
  isUnexplained: ({ context }: { context: KeeperContext }) => context.isUnexplained,
  isOwnChannel: when(
    (lock, { channel }) => channel === lock.channel,
    'actor.unlocked',
    'actor.lockGone',
    'actor.ownLockGone',
  ),
  isBeforeExpiration: when(
    ({ expiration }, { nowBlock }) => nowBlock < expiration,
    'chain.block',
    'msg.revealSecret',
  ),
  isInTime: when(isPublicInTime, 'chain.secretRevealed'),
  isFailed: when((_, { ok }) => !ok, 'chain.tx'),
  isMinedInTime: when(isRegisteredInTime, 'chain.tx'),
};

export const actions = {
  learn: on(learn, 'msg.revealSecret', 'chain.secretRevealed'),
  wakeAtRemoval: onAny(wakeAtRemoval),
  register: onAny(register),
  tryNextBlock: on(
    (_, { nowBlock }) => ({ patch: { wakeBlock: nowBlock + 1n }, effects: [] }),
    'chain.tx',
  ),
  rest: onAny(() => ({ patch: { wakeBlock: null }, effects: [] })),
  tellRegistered: onAny((lock) => tellChannel(lock, 'actor.secretRegistered')),
  expireLock: onAny((lock) => tellChannel(lock, 'actor.expireLock')),
};
