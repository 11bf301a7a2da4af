/** A fault: somebody else with the key of a node sends a transaction of its own. */
import type { Hash } from '../../../basics/hex.ts';
import type { Signer } from '../../../signer/signer.ts';
import { RpcError } from '../../chain/rpc-error.ts';
import type { World } from '../world.ts';

/** Gas of an empty payment. */
const GAS = 21_000n;

/**
 * Sends a transaction with the account's next nonce that offers too little, so that it stays in the pool; the
 * returned function removes it.
 */
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
      // The endpoint refuses it when the account has no money, or when it offers too little.
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
