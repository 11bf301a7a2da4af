/** Faults of the account that a node has on chain. */
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Signer } from '../../../signer/signer.ts';
import { RpcError } from '../../chain/rpc-error.ts';
import type { World } from '../world.ts';
import type { Undo } from './fault-schedule.ts';

/** Gas of an empty payment. */
const GAS = 21_000n;
/** Blocks for which an account keeps what it gets back. */
const GIVEN_TIMES = 12;

/**
 * Somebody else with the key of a node sends a transaction with the account's next nonce that offers too little, so that
 * it stays in the pool; the returned function removes it.
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

/** Keeps an account's transactions out of blocks; several such faults may overlap. */
export function createHoldBack({ chain }: Pick<World, 'chain'>) {
  const censored: Address[] = [];
  return (owner: Address): Undo => {
    censored.push(owner);
    chain.setWeather({ isHeldBack: ({ from }) => censored.includes(from) });
    return () => void censored.splice(censored.indexOf(owner), 1);
  };
}

/** The account has no money until the returned function is called. `later`: calls after a block. */
export function withoutGas(
  { chain }: Pick<World, 'chain'>,
  owner: Address,
  later: (work: () => void) => void,
): Undo {
  const had = chain.wei(owner);
  chain.machine.wei.set(owner, 0n);
  /** A reorganisation takes back what was given before the blocks that it replaces. */
  const give = (times: number) => {
    if (chain.wei(owner) < had / 2n) chain.machine.wei.set(owner, had);
    if (times > 1) later(() => give(times - 1));
  };
  return () => give(GIVEN_TIMES);
}
