/**
 * Locks that no payment of this node answers for, and how each gets a keeper. Either nothing hangs on the
 * lock: its transfer could not be passed on, its secrethash was taken, or it gave a transfer back. Or it is
 * unexplained: its payment should be there and is not, so that the lock may be what another one depends on.
 */
import type { Hash } from '../../src/protocol/hex.ts';
import type { Lock } from '../../src/protocol/lock.ts';
import type { LockedTransfer } from '../../src/protocol/messages/locked-transfer.ts';
import type { RefundTransfer } from '../../src/protocol/messages/refund-transfer.ts';
import type { ChannelContext } from '../channel/context.ts';
import type { Spawn } from '../effects.ts';
import type { KeeperInput } from '../inputs.ts';

export type Side = 'own' | 'partner';
type SpawnKeeper = Extract<Spawn, { type: 'spawn.keeper' }>;

/** The actor that keeps a lock of one side of a channel. */
export function keeperId(channel: string, side: Side, secrethash: Hash): string {
  return `keeper:${secrethash}:${side}:${channel}`;
}

/** The lock of a transfer on which nothing hangs. */
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

/** A lock of either side that nobody answers for. */
export function unexplainedLock(
  { id, confirmations }: ChannelContext,
  lock: Lock,
  { side, isPublic }: Pick<KeeperInput, 'side' | 'isPublic'>,
): SpawnKeeper {
  const unknown = { isUnexplained: true, isPublic, transfer: null };
  return keeper({ channel: id, side, ...lock, ...unknown, confirmations });
}

/** What is spawned instead of a payment whose secrethash is taken: its lock is held until it expires. */
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
