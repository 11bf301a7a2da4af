/**
 * Development chains, on which no money is. One process makes all their blocks, whenever it is told to and with
 * any timestamps: time says nothing about them, but that process knows which block is the newest.
 */
import type { ChainClient } from './client.ts';

const DEVELOPMENT_CHAINS = [1337n, 31_337n];

export function isDevelopment(chainId: bigint): boolean {
  return DEVELOPMENT_CHAINS.includes(chainId);
}

/**
 * The newest block by the word of the process that makes the blocks (anvil, Hardhat), which no cache and no
 * machine that is behind gives in its place. Null on any other chain, and when the endpoint is neither.
 */
export async function newestOfDevelopment(client: ChainClient): Promise<bigint | null> {
  if (!isDevelopment(BigInt(client.chain.id))) return null;
  const ask: (request: { method: string }) => Promise<unknown> = client.transport.request;
  try {
    const { latestBlockNumber } = Object(await ask({ method: 'hardhat_metadata' }));
    return Number.isSafeInteger(latestBlockNumber) ? BigInt(latestBlockNumber) : null;
  } catch {
    return null;
  }
}
