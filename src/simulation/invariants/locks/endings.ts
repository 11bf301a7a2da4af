/** A lock of a node is paid, or the node takes it back in time, which needs nobody's consent. */
import { decodeLock } from '../../../protocol/channel/lock.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Options = Pick<Facts, 'confirmations' | 'isExcused' | 'isOpen'> & {
  ledger: Pick<Ledger, 'isLocked'>;
};
type Held = { who: string; channel: string; lock: ReturnType<typeof decodeLock> };

/** Blocks that a node may take to see that the lock can be removed, and to remove it. */
const SLACK = 6n;

export function createEndings({ ledger, confirmations, isOpen, isExcused }: Options): Oracle {
  /** The locks by the block until which they must be gone. */
  const due = new Map<bigint, Held[]>();

  function check({ who, channel, lock }: Held) {
    const { secrethash, expiration } = lock;
    if (!ledger.isLocked(who, channel, secrethash) || !isOpen(channel)) return;
    if (isExcused(who, expiration)) return;
    throw new Violation(13, who, `${who} leaves ${secrethash} locked, which ended ${expiration}`);
  }

  function note(who: string, { side, channel, kind, lock: encoded }: Changed) {
    if (side !== 'own' || kind !== 'add') return;
    const lock = decodeLock(encoded);
    const block = lock.expiration + 2n * confirmations + SLACK;
    due.set(block, [...(due.get(block) ?? []), { who, channel, lock }]);
  }

  return {
    commit(who, { proofs }) {
      for (const change of lockChanges(proofs)) note(who, change);
    },
    block({ number }) {
      const held = due.get(number) ?? [];
      due.delete(number);
      for (const one of held) check(one);
    },
  };
}
