/** A partner agrees to a withdraw, and closes the channel in the block in which that would be mined. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ZERO_HASH } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { closingDigest, EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { anvilCall } from '../support/chain.ts';
import { type Line, startLine } from '../support/line.ts';
import { type Network, startVirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

let network: Network;
let line: Line;

beforeEach(async () => {
  network = startVirtualNetwork();
  line = await startLine(network, ['alice', 'bob']);
});
afterEach(() => network.stop());

const viewOfAlice = () => line.node('alice').channel(network.token, network.addressOf('bob'));
const sentByAlice = () =>
  network.chain.client.getTransactionCount({ address: network.addressOf('alice') });
const pooled = async () =>
  Object.keys(Object(await anvilCall(network.chain, 'txpool_content')).pending.all).length;

/** Bob's close, at a price that no pool lets wait; anybody may send it. */
async function closeAsBob(): Promise<void> {
  const channelId = viewOfAlice()?.channelId ?? 0n;
  const { tokenNetwork, chain } = network;
  const facts = { chainId: chain.chainId, tokenNetwork, channelId };
  const nothing = { balanceHash: ZERO_HASH, nonce: 0n, additionalHash: ZERO_HASH };
  const digest = closingDigest({ ...facts, ...nothing }, EMPTY_SIGNATURE);
  await network.clients.wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'closeChannel',
    args: [
      channelId,
      network.addressOf('alice'),
      network.addressOf('bob'),
      ZERO_HASH,
      0n,
      ZERO_HASH,
      EMPTY_SIGNATURE,
      network.signerOf('bob').sign(digest),
    ],
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 12n,
  });
}

it('a withdraw that a close has overtaken is not sent once more', async () => {
  await anvilCall(network.chain, 'evm_setAutomine', false);
  const before = await sentByAlice();
  const answer = line.node('alice').withdraw(network.token, network.addressOf('bob'), 7n);
  await until(async () => (await pooled()) === 1, 'alice withdraws');
  await closeAsBob();
  await network.mine(1n);
  for (let blocks = 0; blocks < 30; blocks++) await line.mine(1n);
  expect(viewOfAlice()?.state).toBe('closed');
  expect((await answer).ok).toBe(false);
  // The one that was overtaken, and no other.
  expect((await sentByAlice()) - before).toBe(1);
});
