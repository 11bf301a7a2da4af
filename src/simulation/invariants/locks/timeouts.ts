/** A node locks no money in a channel that could be settled before the node can answer a close, or claim a lock. */
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Options = Pick<Facts, 'confirmations' | 'settleTimeoutOf'>;

/** Six blocks until a transaction is mined, and three until it is seen: protocol section 4.0. */
const TO_ACT = 9n;

export function createTimeouts({ confirmations, settleTimeoutOf }: Options): Oracle {
  const least = 2n * (confirmations + TO_ACT);
  return {
    commit(who, { proofs }) {
      for (const { side, channel, changes } of proofs) {
        if (side !== 'own' || !changes.some(({ kind }) => kind === 'add')) continue;
        const timeout = settleTimeoutOf(channel);
        if (timeout === null || timeout >= least) continue;
        const text = `${who} locks in ${channel}, which is settled after ${timeout} blocks`;
        throw new Violation(25, who, text);
      }
    },
  };
}
