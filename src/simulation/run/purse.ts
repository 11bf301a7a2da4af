/** An account for whoever acts on chain behind its node's back: its transactions never stand in the node's way. */
import type { Address, Hex } from '../../protocol/hex.ts';
import { RpcError } from '../chain/rpc-error.ts';
import type { World } from './world.ts';

const GAS = 2_000_000n;
/** Wei per unit of gas: more than anybody else offers, so that nothing of it waits. */
const FEE = 10n ** 13n;

export type Purse = ReturnType<typeof createPurse>;

export function createPurse(world: Pick<World, 'purse' | 'chain' | 'chainId'>, index: number) {
  const signer = world.purse(index);
  let next = 0;

  async function send(to: Address, data: Hex) {
    const { nonces } = world.chain.machine;
    const nonce = Math.max(next, nonces.get(signer.address) ?? 0);
    next = nonce + 1;
    const fees = { gas: GAS, maxFeePerGas: FEE, maxPriorityFeePerGas: FEE / 2n };
    const place = { chainId: world.chainId, type: 'eip1559', nonce } as const;
    const raw = await signer.signTransaction({ ...place, ...fees, to, data, value: 0n });
    try {
      world.chain.submit(raw);
    } catch (error) {
      // Blocks that were replaced gave some of its numbers back: it begins at the first free one again.
      if (!(error instanceof RpcError)) throw error;
      next = nonces.get(signer.address) ?? 0;
    }
  }

  return {
    /** Sent as soon as it is signed; what becomes of it shows on chain. */
    call: (to: Address, data: Hex) => void send(to, data),
  };
}
