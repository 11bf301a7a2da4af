/** What a node has locked it takes back in time, or it is paid: it asks nobody for that. */
import type { RecordProof } from '../../../machines/effects.ts';
import { decodeLock } from '../../protocol/lock.ts';
import type { Ledger } from './ledger.ts';
import type { Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Options = {
  ledger: Pick<Ledger, 'isLocked'>;
  confirmations: bigint;
  isOpen(channel: string): boolean;
  /** Something has kept the machine from its work since this block. */
  isExcused(who: string, sinceBlock: bigint): boolean;
};
type Held = { who: string; channel: string; lock: ReturnType<typeof decodeLock> };

/** Blocks in which a node sees that it may, and does so. */
const SLACK = 6n;

export function createEndings({ ledger, confirmations, isOpen, isExcused }: Options): Oracle {
  /** By the block in which it must be gone. */
  const due = new Map<bigint, Held[]>();

  function check({ who, channel, lock }: Held) {
    const { secrethash, expiration } = lock;
    if (!ledger.isLocked(who, channel, secrethash) || !isOpen(channel)) return;
    if (isExcused(who, expiration)) return;
    throw new Violation(13, who, `${who} leaves ${secrethash} locked, which ended ${expiration}`);
  }

  function step(who: string, { side, channel, change }: RecordProof) {
    if (side !== 'own' || change?.kind !== 'add') return;
    const lock = decodeLock(change.lock);
    const block = lock.expiration + 2n * confirmations + SLACK;
    due.set(block, [...(due.get(block) ?? []), { who, channel, lock }]);
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
