/**
 * A partner that has been shown on chain what it owes, and does not pay, is not waited for: its channel is closed
 * when the time that it is given has passed.
 */
import type { Hash } from '../../protocol/hex.ts';
import { decodeLock } from '../../protocol/lock.ts';
import type { Batch } from '../../store/batch.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'confirmations' | 'channel' | 'machine' | 'secretBlock' | 'tokenNetwork'>;
type Owed = { who: string; channel: string; expiration: bigint; secrethash: Hash };

export function createUnclaimed(facts: Needs): Oracle {
  const { confirmations, channel, machine, secretBlock, tokenNetwork } = facts;
  /** Locks that partners hold for machines, by machine, channel and secrethash. */
  const owed = new Map<string, Owed>();
  /** Channels that a machine has begun to close, and when. */
  const closing = new Set<string>();

  function note(who: string, batch: Batch) {
    for (const { side, change, channel: at } of batch.proofs) {
      if (side !== 'partner' || change === null) continue;
      const { secrethash } = change;
      const key = `${who} ${at} ${secrethash}`;
      const { expiration } = decodeLock(change.lock);
      if (change.kind === 'add') owed.set(key, { who, channel: at, expiration, secrethash });
      else owed.delete(key);
    }
    for (const { key, actor } of batch.jobs)
      if (key.startsWith('close:')) closing.add(`${who} ${actor}`);
  }

  function check({ who, channel: at, expiration, secrethash }: Owed, seen: bigint) {
    const revealed = secretBlock(secrethash);
    const node = machine(who);
    if (node === null || !node.isFit || revealed === null || revealed >= expiration) return;
    const last = expiration + 2n * confirmations + node.revealTimeout;
    if (seen < last || revealed > last - confirmations || closing.has(`${who} ${at}`)) return;
    if (channel(BigInt(at.slice(`channel:${tokenNetwork}:`.length)))?.state !== 'opened') return;
    throw new Violation(13, who, `${who} waits on for ${secrethash}, which ended at ${expiration}`);
  }

  return {
    commit(who, batch) {
      note(who, batch);
      if (batch.cursor === null) return;
      for (const one of owed.values()) if (one.who === who) check(one, batch.cursor.block);
    },
  };
}
