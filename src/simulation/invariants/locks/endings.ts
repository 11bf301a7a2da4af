/** A lock of a node is paid, or the node takes it back in time, which needs nobody's consent. */
import type { RecordProof } from '../../../../machines/effects.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
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

  function step(who: string, { side, channel, changes }: RecordProof) {
    if (side !== 'own') return;
    for (const change of changes) {
      if (change.kind !== 'add') continue;
      const lock = decodeLock(change.lock);
      const block = lock.expiration + 2n * confirmations + SLACK;
      due.set(block, [...(due.get(block) ?? []), { who, channel, lock }]);
    }
  }

  return {
    commit(who, { proofs }) {
      for (const proof of proofs) step(who, proof);
    },
    block({ number }) {
      const held = due.get(number) ?? [];
      due.delete(number);
      for (const one of held) check(one);
    },
  };
}
