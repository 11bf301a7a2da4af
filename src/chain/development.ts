/**
 * Development chains, on which there is no real money. One process makes all their blocks, whenever it is told to and
 * with any timestamps. So time does not show which block is the newest, but that process knows it.
 */
import type { ChainClient } from './client.ts';

const DEVELOPMENT_CHAINS = [1337n, 31_337n];

export function isDevelopment(chainId: bigint): boolean {
  return DEVELOPMENT_CHAINS.includes(chainId);
}

/** What a person is told when such a chain has an old head, and nobody can say whether that is its newest one. */
export function makesOnDemand(chainId: number): string {
  return (
    `Chain ${chainId} is one for development: if it makes blocks only when there are transactions, let it make them by ` +
    'the clock (geth --dev --dev.period 1, anvil --block-time 1).'
  );
}

/**
 * The newest block as the process tells it that makes the blocks (anvil, Hardhat); no cache and no machine that is
 * behind can answer this in its place. Null on any other chain, and when the endpoint is neither of the two programs.
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
