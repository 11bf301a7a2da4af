/**
 * A mediator has the time to claim its payer's lock by the chain's real height, not by the height that it believes
 * in.
 */

import { decodeLock } from '../../../protocol/channel/lock.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts & Ledger, 'confirmations' | 'head' | 'isInitiator' | 'machine'>;

/** The newest blocks that a node may not have seen yet when it decides. */
const UNSEEN = 3n;

export function createHeights({ head, confirmations, machine, isInitiator }: Needs): Oracle {
  function check(who: string, { side, kind, lock, secrethash }: Changed) {
    if (side !== 'own' || kind !== 'add' || isInitiator(who, secrethash)) return;
    const { expiration } = decodeLock(lock);
    const least = (machine(who)?.revealTimeout ?? 0n) - confirmations - UNSEEN;
    if (expiration - head() >= least) return;
    throw new Violation(25, who, `${who} passes on a lock of ${expiration} at ${head()}`);
  }
  return {
    commit(who, { proofs }) {
      for (const change of lockChanges(proofs)) check(who, change);
    },
  };
}
