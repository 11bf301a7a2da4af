/** A small simulated chain with owners who can sign, for tests. */

import type { Address, Hash, Hex } from '../../src/basics/hex.ts';
import type { UnsignedTransaction } from '../../src/chain/queue/jobs.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';
import { connectEndpoint } from '../../src/simulation/chain/client.ts';
import { callData } from '../../src/simulation/chain/contracts/abi.ts';
import { createEndpoint } from '../../src/simulation/chain/endpoint.ts';
import { createSimulatedChain, type GenesisOptions } from '../../src/simulation/chain/genesis.ts';
import { createRpc } from '../../src/simulation/chain/rpc.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { createScheduler } from '../../src/simulation/world/scheduler.ts';

export const CHAIN_ID = 4_711;
export const START = 1_700_000_000;
export const SETTLE_TIMEOUT = 20n;
export type Simulated = ReturnType<typeof startSimulated>;

const GWEI = 10n ** 9n;
/** Seconds between blocks. */
const BLOCK_TIME = 12;

/** One token, three owners with an ether each, and an endpoint. */
export function startSimulated(options: Partial<GenesisOptions> = {}) {
  const owners = [1, 2, 3].map((key) => createSigner(Uint8Array.from({ length: 32 }, () => key)));
  const chain = createSimulatedChain({
    chainId: CHAIN_ID,
    time: START,
    recover,
    settleTimeoutMin: SETTLE_TIMEOUT,
    accounts: owners.map(({ address }) => ({ address, wei: 10n ** 18n })),
    tokens: [{ symbol: 'TTT' }],
    ...options,
  });
  const [token] = chain.tokens;
  const [own, partner, third] = owners;
  if (token === undefined || own === undefined || partner === undefined || third === undefined)
    throw new Error('a chain without token or owners');
  const rpc = createRpc(chain);
  const scheduler = createScheduler(1_000 * START);
  const draw = createRandomness(1).of('endpoint');
  const endpoint = createEndpoint({ chain, rpc, scheduler, draw });
  const client = connectEndpoint(endpoint, CHAIN_ID);
  const mine = (count = 1) => {
    for (let n = 0; n < count; n++) chain.mine(Number(chain.head().timestamp) + BLOCK_TIME);
    return chain.head();
  };
  return { chain, token, own, partner, third, rpc, scheduler, endpoint, client, mine };
}

/** Signs and submits; 2 gwei of tip unless it says something else. */
export async function send(
  { chain }: Simulated,
  signer: Signer,
  to: Address,
  data: Hex,
  more: Partial<UnsignedTransaction> = {},
): Promise<Hash> {
  const nonce = chain.pool.nextNonce(signer.address, chain.machine.nonces.get(signer.address));
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: CHAIN_ID,
    nonce,
    to,
    data,
    value: 0n,
    gas: 100_000n,
    maxFeePerGas: 20n * GWEI,
    maxPriorityFeePerGas: 2n * GWEI,
    ...more,
  });
  return chain.submit(raw);
}

/** Makes tokens for the sender. */
export function mint(
  simulated: Simulated,
  signer: Signer,
  amount: bigint,
  more: Partial<UnsignedTransaction> = {},
): Promise<Hash> {
  const data = callData('mint(uint256)', amount);
  return send(simulated, signer, simulated.token.address, data, more);
}
