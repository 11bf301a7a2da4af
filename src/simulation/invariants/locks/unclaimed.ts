/**
 * A node closes the channel of a partner that does not unlock a lock whose secret is on chain, once the partner's
 * time to do so has passed.
 */

import type { Hash } from '../../../basics/hex.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { registeredBy } from '../registered-by.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channelOf' | 'confirmations' | 'head' | 'machine' | 'secretBlock'> &
  Pick<Facts, 'tokenNetwork'>;
type Owed = {
  who: string;
  channel: string;
  expiration: bigint;
  secrethash: Hash;
  sinceBlock: bigint;
};

export function createUnclaimed(facts: Needs): Oracle {
  const { confirmations, channelOf, head, machine, secretBlock } = facts;
  /** Locks that partners owe to nodes, by machine, channel and secrethash. */
  const owed = new Map<string, Owed>();
  /** Channels that a node has begun to close. */
  const closing = new Set<string>();
  /** The secrets that nodes are registering, by machine and key of the order. */
  const asked = new Map<string, Hash>();

  function note(who: string, batch: Batch) {
    for (const change of lockChanges(batch.proofs))
      if (change.side === 'partner') noteLock(who, change);
    for (const job of batch.jobs) {
      if (job.key.startsWith('close:')) closing.add(`${who} ${job.actor}`);
      const secrethash = registeredBy(job);
      if (secrethash !== null) asked.set(`${who} ${job.key}`, secrethash);
    }
    for (const key of batch.jobsDone) checkDone(who, `${who} ${key}`);
  }

  function noteLock(who: string, { channel, kind, lock, secrethash }: Changed) {
    const key = `${who} ${channel} ${secrethash}`;
    const { expiration } = decodeLock(lock);
    if (kind === 'add') owed.set(key, { who, channel, expiration, secrethash, sinceBlock: head() });
    else owed.delete(key);
  }

  /** A node gives up a registration only when the secret is registered and confirmed. */
  function checkDone(who: string, key: string) {
    const secrethash = asked.get(key);
    asked.delete(key);
    if (secrethash === undefined) return;
    const seen = head() - confirmations;
    const revealed = secretBlock(secrethash);
    // The next block is the first that can contain the registration, or contain it once more.
    const least = head() + 1n;
    // A secret that was registered too late is of no use, whether its block stays or not.
    const isOpen = [...owed.values()].some(
      ({ who: owner, secrethash: hash, expiration }) =>
        owner === who && hash === secrethash && least < expiration && (revealed ?? 0n) < expiration,
    );
    if (!isOpen || (revealed !== null && revealed <= seen)) return;
    const text = `${who} asks no more for ${secrethash}, which does not stand for good`;
    throw new Violation(revealed === null ? 25 : 23, who, text);
  }

  function check({ who, channel: at, expiration, secrethash, sinceBlock }: Owed, seen: bigint) {
    const revealed = secretBlock(secrethash);
    const node = machine(who);
    if (node === null || !node.isFit || revealed === null || revealed >= expiration) return;
    // A lock whose secret was public already when it was locked is a gift.
    if (revealed <= sinceBlock) return;
    const last = expiration + 2n * confirmations + node.revealTimeout;
    // Whoever has to act at a block is woken when the block is on disk.
    if (seen <= last || revealed > last - confirmations || closing.has(`${who} ${at}`)) return;
    // What is worth nothing need not be claimed.
    if (channelOf(at)?.state !== 'opened' || !at.includes(facts.tokenNetwork)) return;
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
