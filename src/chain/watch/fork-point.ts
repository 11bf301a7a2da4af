/** The block where the chain branches off from the blocks that this node has followed. */
import { type Hash, isHexOf } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import { findDeepReorg } from './batches.ts';
import { headerByNumber, headHeader } from './headers.ts';

export type FollowedBlock = { block: bigint; hash: string };
/** As the store keeps it. */
export type ForkPoint = {
  block: bigint;
  hash: Hash | null;
  lostBlock: bigint;
  lostHash: Hash;
  foundHash: Hash;
};

/**
 * Finds the fork. Null when the last block that was followed is on the chain, or when the endpoint is behind it.
 * `trail`: the blocks that were followed, newest first. Rejects when the endpoint fails.
 */
export async function findForkPoint(
  client: ChainClient,
  trail: readonly FollowedBlock[],
  deployBlock: bigint,
): Promise<ForkPoint | null> {
  const [last, ...earlier] = trail;
  if (last === undefined || !isHexOf(last.hash, 32)) return null;
  if ((await headHeader(client)).number < last.block) return null;
  const lost = await findDeepReorg(client, { block: last.block, hash: last.hash });
  if (lost === null) return null;
  const facts = { lostBlock: last.block, lostHash: last.hash, foundHash: lost.foundHash };
  for (const { block, hash } of earlier) {
    const found = (await headerByNumber(client, block)).hash;
    if (found === hash) return { block, hash: found, ...facts };
  }
  return { block: deployBlock - 1n, hash: null, ...facts };
}
