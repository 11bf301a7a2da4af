/** Whoever has the key of a node sends a transaction of its own. */
import type { Hash } from '../../protocol/hex.ts';
import type { Signer } from '../../signer/signer.ts';
import { RpcError } from '../chain/rpc-error.ts';
import type { World } from './world.ts';

/** What a payment of nothing takes. */
const GAS = 21_000n;

/** It takes the next number and offers too little, so that no block takes it; the answer makes it vanish. */
export function useAccount({ chain, chainId }: Pick<World, 'chain' | 'chainId'>, signer: Signer) {
  const { pool, machine } = chain;
  const { address } = signer;
  let isOver = false;
  let hash: Hash | null = null;

  async function send() {
    const nonce = pool.nextNonce(address, machine.nonces.get(address));
    const fees = { gas: GAS, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n };
    const raw = await signer.signTransaction({
      chainId,
      type: 'eip1559',
      nonce,
      ...fees,
      to: address,
      data: '0x',
      value: 0n,
    });
    if (isOver) return;
    try {
      hash = chain.submit(raw);
    } catch (error) {
      // Without money, or for too little, the endpoint does not take it.
      if (!(error instanceof RpcError)) throw error;
    }
  }

  void send();
  return () => {
    isOver = true;
    const waiting = hash === null ? null : pool.byHash(hash);
    if (waiting !== null) pool.drop(waiting);
  };
}
