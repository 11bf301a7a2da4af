/** A node acts only on blocks with the configured number of confirmations, and only on what the chain has in them. */
import type { Hash } from '../../../basics/hex.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'confirmations' | 'blockHash'>;

export function createSight({ head, confirmations, blockHash }: Needs): Oracle {
  /** The last block that each node has read. */
  const cursors = new Map<string, { block: bigint; hash: string }>();

  function check(who: string, { block, hash }: { block: bigint; hash: string }) {
    const found: Hash | null = blockHash(block);
    if (found !== null && found !== hash)
      throw new Violation(23, who, `${who} goes on from a block ${block} that was replaced`);
  }

  return {
    commit(who, { cursor, fork }) {
      if (fork !== null) cursors.delete(who);
      if (cursor === null) return;
      const { block } = cursor;
      if (block > head() - confirmations)
        throw new Violation(23, who, `${who} acts on block ${block} when ${head()} is the newest`);
      // A block that the node has just read may be replaced by now: then the node does not go on from it.
      const before = cursors.get(who);
      if (fork === null && before !== undefined) check(who, before);
      cursors.set(who, cursor);
    },
    replaced: (who) => void cursors.delete(who),
  };
}
