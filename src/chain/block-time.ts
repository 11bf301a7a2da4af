/** How long a block of the chain takes. */
import type { ChainClient } from './client.ts';

/** Over so many blocks the time of one is measured. */
const MEASURED_BLOCKS = 50n;

/** In seconds; null when there are too few blocks, or they have the same time. Rejects with viem's errors. */
export async function secondsOfBlock(client: ChainClient): Promise<number | null> {
  const newest = await client.getBlock();
  const past = newest.number > MEASURED_BLOCKS ? newest.number - MEASURED_BLOCKS : 1n;
  if (past >= newest.number) return null;
  const { timestamp } = await client.getBlock({ blockNumber: past });
  const seconds = Number(newest.timestamp - timestamp) / Number(newest.number - past);
  return seconds > 0 ? seconds : null;
}
