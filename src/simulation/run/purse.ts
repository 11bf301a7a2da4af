/**
 * An account for attackers that act on chain without their node: its transactions never get in the way of the
 * node's.
 */
import type { Address, Hex } from '../../basics/hex.ts';
import { RpcError } from '../chain/rpc-error.ts';
import type { World } from './world.ts';

const GAS = 2_000_000n;
/** Wei per unit of gas: more than anybody else offers, so that its transactions never wait. */
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
      // A reorganisation has given some of its nonces back: it goes on with the first free one.
      if (!(error instanceof RpcError)) throw error;
      next = nonces.get(signer.address) ?? 0;
    }
  }

  return {
    address: signer.address,
    /** Sends a transaction as soon as it is signed; whether it succeeds is seen on chain. */
    call: (to: Address, data: Hex) => void send(to, data),
  };
}
