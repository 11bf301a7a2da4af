/** Somebody watches the pool and is faster with whatever the node sends: it gets there all the same. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anvilCall } from '../support/chain.ts';
import { isRegistered } from '../support/cheating.ts';
import { type HangingPair, startHangingPair } from '../support/hanging.ts';
import { good, type Network, startVirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const REVEAL_TIMEOUT = 10n;

let network: Network;
let pair: HangingPair;

beforeAll(async () => {
  network = startVirtualNetwork();
  pair = await startHangingPair(network, 1_000n);
});
afterAll(() => network?.stop());

type Seen = { to: `0x${string}`; input: `0x${string}` };

async function pool(): Promise<Seen[]> {
  const { pending } = Object(await anvilCall(network.chain, 'txpool_content'));
  return Object.values<Record<string, Seen>>(pending).flatMap((byNonce) => Object.values(byNonce));
}

/** Sends what waits in the pool once more, from another account and at a better price. */
async function copyFromPool(): Promise<void> {
  const { wallet } = network.clients;
  const dear = 10n ** 12n;
  for (const { to, input } of await pool()) {
    const fees = { maxFeePerGas: dear, maxPriorityFeePerGas: dear };
    await wallet.sendTransaction({ to, data: input, ...fees });
  }
}

describe('the registration of a secret', () => {
  it('that somebody copies and overtakes pays the payee once, and keeps nobody from going on', async () => {
    const { secret, end } = await pair.hang({ from: 'alice', amount: 70n }, 'known');
    await anvilCall(network.chain, 'evm_setAutomine', false);
    await network.mine(REVEAL_TIMEOUT + 1n);
    await until(async () => (await pool()).length === 1, 'bob wants to register his secret');
    await copyFromPool();
    expect(await pool()).toHaveLength(2);
    await network.mine(1n);
    expect(await isRegistered(network, secret)).toBe(true);
    await anvilCall(network.chain, 'evm_setAutomine', true);
    expect(await network.whileMining(end)).toMatchObject({ ok: true, value: { amount: 70n } });
    const isPaid = () => pair.view('bob').balance === 1_070n;
    await until(isPaid, 'alice unlocks off chain what she sees on chain');
    expect(pair.view('alice').balance).toBe(930n);
    const query = { token: network.token, partner: null, offset: 0, limit: null };
    expect([...good(pair.nodes.bob.payments(query))].flat()).toMatchObject([
      { event: 'EventPaymentReceivedSuccess', amount: 70n },
    ]);
    await pair.pay({ from: 'bob', amount: 1n });
    expect([...pair.nodes.alice.failures, ...pair.nodes.bob.failures]).toEqual([]);
  });
});
