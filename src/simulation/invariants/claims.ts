/** Whoever knows the secret of a lock that is its own brings it on chain in time, unless the lock is paid before. */
import type { Hash } from '../../protocol/hex.ts';
import type { Ledger } from './ledger.ts';
import { Violation } from './violation.ts';

type Options = {
  ledger: Pick<Ledger, 'claimOf'>;
  /** The chain's newest block. */
  head(): bigint;
  secretBlock(secrethash: Hash): bigint | null;
  /** Something has kept the machine from its work since this block. */
  isExcused(who: string, sinceBlock: bigint): boolean;
};
type Known = { who: string; secrethash: Hash; sinceBlock: bigint };

/** From when on a secret that comes is too late: a transaction of this block is mined in the next. */
const TOO_LATE = 2n;

export function createClaims({ ledger, head, secretBlock, isExcused }: Options) {
  const open = new Map<string, Known>();

  function isOver({ who, secrethash, sinceBlock }: Known): boolean {
    const claim = ledger.claimOf(who, secrethash);
    if (claim === null) return true;
    const registeredAt = secretBlock(secrethash);
    if (registeredAt !== null && registeredAt < claim.expiration) return true;
    if (head() < claim.expiration) return false;
    if (sinceBlock + TOO_LATE > claim.expiration || isExcused(who, sinceBlock)) return true;
    throw new Violation(25, who, `${who} knows ${secrethash} and lets its lock expire`, {
      lost: claim.amount,
    });
  }

  return {
    /** An honest machine says a secret to whoever has to pay it for it. */
    knows(who: string, secrethash: Hash) {
      const key = `${who} ${secrethash}`;
      if (open.has(key) || ledger.claimOf(who, secrethash) === null) return;
      open.set(key, { who, secrethash, sinceBlock: head() });
    },
    /** A block has come. Throws the violation that it shows. */
    block() {
      for (const [key, known] of open) if (isOver(known)) open.delete(key);
    },
  };
}
