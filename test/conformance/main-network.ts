/** A chain that says that it is the main network, with everything that a node needs. */
import { setUpChain } from '../../src/devnet/set-up-chain.ts';
import type { Address } from '../../src/protocol/hex.ts';
import { startAnvil } from '../support/anvil.ts';

export async function startMainNetwork(owner: Address) {
  const anvil = await startAnvil({ chainId: 1 });
  const set = { rpc: anvil.rpc, owners: [owner], blockTime: 1, contracts: {}, say: () => {} };
  return { chain: await setUpChain(set), stop: anvil.stop };
}
