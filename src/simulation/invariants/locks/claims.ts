/** A node that knows the secret of a lock that pays it registers the secret in time, unless the lock is paid before. */

import type { Hash } from '../../../basics/hex.ts';
import type { Lock } from '../../../protocol/channel/lock.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Options = Pick<Facts, 'head' | 'isExcused' | 'secretBlock'> & {
  ledger: Pick<Ledger, 'claimOf'>;
  /** Whether the channel is one of the token that all pay with: of others nobody needs to claim anything. */
  isMoney(channel: string): boolean;
};
type Known = { who: string; lock: Lock; sinceBlock: bigint };

/**
 * A secret that is learned within so many blocks of the expiration is too late: a transaction sent in one block is
 * mined in the next.
 */
const TOO_LATE = 2n;

/** `knows`: an honest node reveals a secret to the payer of its lock. */
type Claims = Oracle & { knows(who: string, secrethash: Hash): void };

export function createClaims(options: Options): Claims {
  const { ledger, head, secretBlock, isExcused } = options;
  const open = new Map<string, Known>();

  function isOver({ who, lock, sinceBlock }: Known): boolean {
    const { secrethash, expiration, amount } = lock;
    // A second lock with the same secret is a gift, which need not be claimed.
    if (ledger.claimOf(who, secrethash)?.lock !== lock) return true;
    const registeredAt = secretBlock(secrethash);
    if (registeredAt !== null && registeredAt < expiration) return true;
    if (head() < expiration) return false;
    if (sinceBlock + TOO_LATE > expiration || isExcused(who, sinceBlock)) return true;
    throw new Violation(25, who, `${who} knows ${secrethash} and lets its lock expire`, {
      lost: amount,
    });
  }

  return {
    knows(who, secrethash) {
      const key = `${who} ${secrethash}`;
      const claim = ledger.claimOf(who, secrethash);
      if (claim === null || open.has(key) || !options.isMoney(claim.channel)) return;
      open.set(key, { who, lock: claim.lock, sinceBlock: head() });
    },
    block() {
      for (const [key, known] of open) if (isOver(known)) open.delete(key);
    },
  };
}
