/**
 * Locks that no payment actor looks after, and how each gets a keeper. Either no other lock depends on the lock: its
 * transfer could not be passed on, its secrethash was in use already, or it gave a transfer back. Or the lock is
 * unexplained: its payment actor should exist and does not, so that another lock may depend on this one.
 */

import type { Lock } from '../../src/protocol/channel/lock.ts';
import type { Hash } from '../../src/protocol/hex.ts';
import type { LockedTransfer } from '../../src/protocol/messages/locked-transfer.ts';
import type { RefundTransfer } from '../../src/protocol/messages/refund-transfer.ts';
import type { ChannelContext } from '../channel/context.ts';
import type { Spawn } from '../effects.ts';
import type { KeeperInput } from '../inputs.ts';

export type Side = 'own' | 'partner';
type SpawnKeeper = Extract<Spawn, { type: 'spawn.keeper' }>;

/** The id of the keeper of a lock of one side of a channel. */
export function keeperId(channel: string, side: Side, secrethash: Hash): string {
  return `keeper:${secrethash}:${side}:${channel}`;
}

/** Spawns the keeper of a lock on which no other lock depends. */
export function heldLock(
  channel: ChannelContext,
  { lock, initiator, target, paymentId }: LockedTransfer | RefundTransfer,
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
 * The keeper that is spawned instead of a payment actor whose secrethash is in use already: it holds the lock until
 * that expires.
 */
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
