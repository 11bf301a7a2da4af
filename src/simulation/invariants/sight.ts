/** What a node acts on lies as deep in the chain as it is told to wait, and is what the chain holds there. */
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'head' | 'confirmations' | 'blockHash'>;

export function createSight({ head, confirmations, blockHash }: Needs): Oracle {
  return {
    commit(who, { cursor, fork }) {
      if (cursor === null) return;
      const { block, hash } = cursor;
      if (block > head() - confirmations)
        throw new Violation(23, who, `${who} acts on block ${block} when ${head()} is the newest`);
      const found = blockHash(block);
      if (fork === null && found !== null && found !== hash)
        throw new Violation(23, who, `${who} goes on from a block ${block} that was replaced`);
    },
  };
}
