/** How long a block takes, for pages: asked now and then, however many of them ask. */
import { secondsOfBlock } from '../../chain/block-time.ts';
import type { ChainClient } from '../../chain/client.ts';

const FRESH_MS = 30_000;

/** In seconds; null: not known. The returned function never rejects. */
export function createBlockTime(client: ChainClient): () => Promise<number | null> {
  let told: Promise<number | null> = Promise.resolve(null);
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - askedAt < FRESH_MS) return told;
    askedAt = performance.now();
    told = secondsOfBlock(client).catch(() => null);
    return told;
  };
}
