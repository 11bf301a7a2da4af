/** A node that asks to be looked after, and is off when its partner closes behind its back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenNetworkAbi, userDepositAbi } from '../../src/chain/abi.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { contractsFileText, parseContracts } from '../../src/host/contracts-file.ts';
import { type OpenMonitoring, openMonitoring } from '../../src/host/open-monitoring.ts';
import { firstBlockAllowed } from '../../src/services/monitoring/window.ts';
import { closeWith, proofsIn } from '../support/cheating.ts';
import { type HangingPair, startHangingPair } from '../support/hanging.ts';
import { type RealNetwork, startNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const WEALTH = 1_000n;
const REWARD = 5n * 10n ** 18n;
const DEPOSIT = 100n * 10n ** 18n;
const PRICE = 10n ** 22n;
const SETTLE_TIMEOUT = 60n;
const SHORTEST = 10n;
const quietLog = { info() {}, warn() {}, error() {} };

let network: RealNetwork;
let pair: HangingPair;
let service: OpenMonitoring;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-monitoring-'));
  network = await startNetwork({
    choices: { monitoringReward: REWARD, defaultSettleTimeout: SETTLE_TIMEOUT },
  });
  await fillUserDeposit();
  service = await openService();
  pair = await startHangingPair(network, WEALTH);
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await network?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function fillUserDeposit(): Promise<void> {
  const { clients, contracts } = network;
  const { serviceTokenAddress: address, userDepositAddress } = contracts;
  const approval = await clients.wallet.writeContract({
    address,
    abi: customTokenAbi,
    functionName: 'approve',
    args: [userDepositAddress, DEPOSIT],
  });
  await confirmed(clients, approval, 'the approval');
  const deposit = await clients.wallet.writeContract({
    address: userDepositAddress,
    abi: userDepositAbi,
    functionName: 'deposit',
    args: [network.addressOf('bob'), DEPOSIT],
  });
  await confirmed(clients, deposit, 'the deposit');
}

async function openService(): Promise<OpenMonitoring> {
  const { clients, contracts, anvil, bus } = network;
  const signer = network.signerOf('erin');
  const minted = await clients.wallet.writeContract({
    address: contracts.serviceTokenAddress,
    abi: customTokenAbi,
    functionName: 'mintFor',
    args: [PRICE, signer.address],
  });
  await confirmed(clients, minted, 'the minting');
  const known = parseContracts(contractsFileText(contracts));
  if (!known.ok) throw new Error(known.message);
  const opened = await openMonitoring(
    {
      version: 'test',
      rpcUrl: anvil.rpc,
      networkId: null,
      broker: { bus },
      contracts: known.value,
      database: `file:${join(folder, 'monitoring.db')}`,
      dataFolder: folder,
      stateFolder: join(folder, 'locks'),
      confirmations: 1n,
      pollIntervalMs: 20,
      minReward: REWARD,
      register: true,
      acceptedPrice: PRICE,
    },
    { signer, log: quietLog, onFatal: (reason) => console.error(reason) },
  );
  if (!opened.ok) throw new Error(opened.message);
  const isRegistered = () =>
    network.chain.client.readContract({
      address: contracts.serviceRegistryAddress,
      abi: serviceRegistryAbi,
      functionName: 'hasValidRegistration',
      args: [signer.address],
    });
  await until(isRegistered, 'the service is registered');
  return opened.value;
}

const headBlock = () => network.chain.client.getBlockNumber({ cacheTime: 0 });
const mineTo = async (block: bigint) => network.mine(block - (await headBlock()));
const userDeposit = (owner: `0x${string}`) =>
  network.chain.client.readContract({
    address: network.contracts.userDepositAddress,
    abi: userDepositAbi,
    functionName: 'balances',
    args: [owner],
  });

/** The nonce of alice's balance proof on chain. */
async function nonceOnChain(): Promise<bigint> {
  const info = await network.chain.client.readContract({
    address: network.tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'getChannelParticipantInfo',
    args: [pair.channelId, pair.address.alice, pair.address.bob],
  });
  return info[4];
}

describe('monitoring while the owner is off', () => {
  it('keeps what its partner paid it, though the partner closes without that', async () => {
    await pair.pay({ from: 'bob', amount: 5n });
    await pair.pay({ from: 'alice', amount: 100n });
    await pair.pay({ from: 'bob', amount: 7n });
    await until(() => pair.view('bob').balance === WEALTH + 88n, 'bob has been paid');
    await pair.stop();
    const newest = proofsIn(pair.sentBy('alice')).at(-1);
    const old = proofsIn(pair.sentBy('bob'))[2] ?? null;
    const { alice, bob } = pair.address;
    await closeWith(
      network,
      { closer: network.signerOf('alice'), partner: bob, channelId: pair.channelId },
      old,
    );
    const settleBlock = (await headBlock()) + SETTLE_TIMEOUT;
    const close = { settleBlock, closing: alice, nonClosing: bob };
    await mineTo(firstBlockAllowed(close, SHORTEST, service.address));
    await until(
      async () => (await nonceOnChain()) === newest?.nonce,
      'her newest proof is on chain',
    );
    expect(await headBlock()).toBeLessThanOrEqual(settleBlock);

    await mineTo(settleBlock + 2n);
    await until(async () => (await userDeposit(service.address)) === REWARD, 'the reward is paid');
    await network.start('bob');
    const isSettled = async () => (await network.tokensInChannels()) === 0n;
    await network.whileMining(until(isSettled, 'bob settles'));
    // The close shows only the first of bob's own payments.
    expect(await network.tokensOf('bob')).toBe(WEALTH + 95n);
    expect(await network.tokensOf('alice')).toBe(WEALTH - 95n);
    expect(await userDeposit(bob)).toBe(DEPOSIT - REWARD);
  });
});
