/** A channel that ends with as many locks in each direction as it can carry, half of them claimable. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import { anvilCall } from '../support/chain.ts';
import { isRegistered } from '../support/cheating.ts';
import { type HangingPair, type Side, startHangingPair } from '../support/hanging.ts';
import { good, type Network, startVirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const WEALTH = 100_000n;
const SETTLE_TIMEOUT = 40n;
/** What a client of the protocol lets an unlock of that many locks cost. */
const UNLOCK_GAS_LIMIT = 1_256_636n;

let network: Network;
let pair: HangingPair;

beforeAll(async () => {
  network = startVirtualNetwork();
  pair = await startHangingPair(network, WEALTH);
});
afterAll(() => network?.stop());

/** Fills a direction with locks of 1, 2, 3 and so on; answers the secrets that the payee knows. */
async function fill(from: Side, isKnown: (amount: bigint) => boolean): Promise<Secret[]> {
  const amounts = Array.from({ length: MAX_PENDING_LOCKS }, (_, index) => BigInt(index + 1));
  const hang = (amount: bigint) =>
    pair.hang({ from, amount }, isKnown(amount) ? 'known' : 'unknown');
  const hanging = await Promise.all(amounts.map(hang));
  return hanging.flatMap(({ secret }, index) => (isKnown(BigInt(index + 1)) ? [secret] : []));
}

async function missing(secrets: readonly Secret[]): Promise<number> {
  const all = await Promise.all(secrets.map((secret) => isRegistered(network, secret)));
  return all.filter((isThere) => !isThere).length;
}

const waiting = async () => Number(Object(await anvilCall(network.chain, 'txpool_status')).pending);

const eventsOf = (eventName: 'ChannelUnlocked' | 'NonClosingBalanceProofUpdated') =>
  network.chain.client.getContractEvents({
    address: network.tokenNetwork,
    abi: tokenNetworkAbi,
    fromBlock: 0n,
    eventName,
  });
const isUpdated = async () => (await eventsOf('NonClosingBalanceProofUpdated')).length > 0;

/**
 * Mines a block once the transactions of both sides are in the pool. Many registrations share one transaction.
 */
async function mineClaims(byAlice: readonly Secret[], byBob: readonly Secret[]): Promise<void> {
  for (;;) {
    const alices = await missing(byAlice);
    const bobs = (await missing(byBob)) + ((await isUpdated()) ? 0 : 1);
    if (alices + bobs === 0) return;
    const due = Number(alices > 0) + Number(bobs > 0);
    await until(async () => (await waiting()) >= due, `${due} transactions wait`, 90_000);
    await network.mine(1n);
  }
}

/** Alice closes; nothing is mined but her transaction and the block that confirms it. */
async function close(): Promise<void> {
  const closed = pair.nodes.alice.close(network.token, pair.nodes.bob.ownAddress);
  await until(async () => (await waiting()) === 1, 'the close waits');
  await network.mine(2n);
  good(await closed);
}

async function unlockGas(): Promise<bigint[]> {
  const { client } = network.chain;
  const events = await eventsOf('ChannelUnlocked');
  const receipts = events.map(({ transactionHash: hash }) =>
    client.getTransactionReceipt({ hash }),
  );
  return (await Promise.all(receipts)).map(({ gasUsed }) => gasUsed);
}

describe('a channel full of locks', () => {
  it('pays on chain what is claimed in time and gives the rest back', async () => {
    const byBob = await fill('alice', (amount) => amount % 2n === 0n);
    const byAlice = await fill('bob', (amount) => amount % 4n === 0n);
    const locked = (160n * 161n) / 2n;
    expect([pair.view('alice').balance, pair.view('bob').balance]).toEqual([
      WEALTH - locked,
      WEALTH - locked,
    ]);
    await anvilCall(network.chain, 'evm_setAutomine', false);
    await close();
    await mineClaims(byAlice, byBob);
    await anvilCall(network.chain, 'evm_setAutomine', true);
    await network.mine(SETTLE_TIMEOUT);
    const isEmpty = async () => (await network.tokensInChannels()) === 0n;
    await network.whileMining(until(isEmpty, 'all is paid out'));
    const change = 80n * 81n - 2n * 40n * 41n;
    expect(await network.tokensOf('alice')).toBe(WEALTH - change);
    expect(await network.tokensOf('bob')).toBe(WEALTH + change);
    const gas = await unlockGas();
    expect(gas).toHaveLength(2);
    expect(gas.filter((used) => used > UNLOCK_GAS_LIMIT)).toEqual([]);
  }, 180_000);
});
