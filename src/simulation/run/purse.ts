/** An account for whoever acts on chain behind its node's back: its transactions never stand in the node's way. */
import type { Address, Hex } from '../../protocol/hex.ts';
import type { World } from './world.ts';

const GAS = 2_000_000n;
const FEE = 10n ** 12n;

export function createPurse(world: Pick<World, 'purse' | 'chain' | 'chainId'>, index: number) {
  const signer = world.purse(index);
  let nonce = 0;

  return {
    /** Sent as soon as it is signed; what becomes of it shows on chain. */
    call(to: Address, data: Hex) {
      const fees = { gas: GAS, maxFeePerGas: FEE, maxPriorityFeePerGas: FEE / 2n };
      const place = { chainId: world.chainId, type: 'eip1559', nonce: nonce++ } as const;
      void signer.signTransaction({ ...place, ...fees, to, data, value: 0n }).then((raw) => {
        world.chain.submit(raw);
      });
    },
  };
}
