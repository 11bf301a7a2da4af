/** A node that asks to be looked after, and is off when its partner closes behind its back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenNetworkAbi, userDepositAbi } from '../../src/chain/abi.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { openServiceDatabase } from '../../src/services/base/database.ts';
import { planRegistration } from '../../src/services/base/registration.ts';
import { createMonitoring } from '../../src/services/monitoring/service.ts';
import { firstBlockAllowed } from '../../src/services/monitoring/window.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { closeWith, proofsIn } from '../support/cheating.ts';
import { type HangingPair, startHangingPair } from '../support/hanging.ts';
import { startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const WEALTH = 1_000n;
const REWARD = 5n * 10n ** 18n;
const DEPOSIT = 100n * 10n ** 18n;
const PRICE = 10n ** 22n;
const SETTLE_TIMEOUT = 60n;
const SHORTEST = 10n;
const quietLog = { info() {}, warn() {}, error() {} };

let network: VirtualNetwork;
let pair: HangingPair;
let service: Awaited<ReturnType<typeof openService>>;

beforeAll(async () => {
  network = startVirtualNetwork({
    choices: { monitoringReward: REWARD, defaultSettleTimeout: SETTLE_TIMEOUT },
  });
  network.simulated.fillUserDeposit(network.addressOf('bob'), DEPOSIT);
  service = await openService();
  pair = await startHangingPair(network, WEALTH);
});
afterAll(async () => {
  await service?.stop();
  await network?.stop();
});

async function openService() {
  const { contracts, chain, bus } = network;
  const signer = network.signerOf('erin');
  network.simulated.mint(contracts.serviceTokenAddress, signer.address, PRICE);
  await network.mine(1n);
  const { client } = await network.connect();
  const planned = await planRegistration({
    client,
    registry: contracts.serviceRegistryAddress,
    service: signer.address,
    choices: { register: true, registerUntilStopped: false, acceptedPrice: PRICE },
  });
  if (!planned.ok) throw new Error(planned.message);
  const { chainId } = chain;
  const tokenNetworkRegistry = contracts.tokenNetworkRegistryAddress;
  const stamp = { chainId, tokenNetworkRegistry, ownAddress: signer.address };
  const opened = openServiceDatabase(':memory:', { ...stamp, service: 'monitoring' });
  if (!opened.ok) throw new Error(opened.message);
  const service = createMonitoring(
    {
      chainId,
      deployBlock: contracts.deployBlock,
      confirmations: 1n,
      shortestTimeout: SHORTEST,
      contracts: {
        userDeposit: contracts.userDepositAddress,
        monitoringService: contracts.monitoringServiceAddress,
        serviceRegistry: contracts.serviceRegistryAddress,
        registry: tokenNetworkRegistry,
        secretRegistry: contracts.secretRegistryAddress,
      },
      minReward: REWARD,
      pollIntervalMs: 20,
      registration: planned.value,
    },
    {
      client,
      recover,
      account: signer,
      database: opened.database,
      transport: bus.connect(signer.address),
      log: quietLog,
      onFatal: (reason, error) => console.error(reason, error),
      clock: network.clock,
      fault() {},
    },
  );
  service.start();
  const isRegistered = () =>
    client.readContract({
      address: contracts.serviceRegistryAddress,
      abi: serviceRegistryAbi,
      functionName: 'hasValidRegistration',
      args: [signer.address],
    });
  await until(isRegistered, 'the service is registered');
  return {
    address: signer.address,
    async stop() {
      await service.stop();
      opened.database.close();
    },
  };
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

    await mineTo(settleBlock);
    const isRewarded = async () => (await userDeposit(service.address)) === REWARD;
    await network.whileMining(until(isRewarded, 'the reward is paid'));
    await network.start('bob');
    const isSettled = async () => (await network.tokensInChannels()) === 0n;
    await network.whileMining(until(isSettled, 'bob settles'));
    // The close shows only the first of bob's own payments.
    expect(await network.tokensOf('bob')).toBe(WEALTH + 95n);
    expect(await network.tokensOf('alice')).toBe(WEALTH - 95n);
    expect(await userDeposit(bob)).toBe(DEPOSIT - REWARD);
  });
});
