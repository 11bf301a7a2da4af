/** A chain with a closed-channel story to tell, and monitoring services of this process on it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/basics/hex.ts';
import { monitoringServiceAbi } from '../../src/contracts/generated/MonitoringService.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { contractsFileText, parseContracts } from '../../src/host/contracts-file.ts';
import { type MonitoringConfig, openMonitoring } from '../../src/host/services/open-monitoring.ts';
import { createBus } from '../../src/partner/bus.ts';
import { encodeServiceMessage } from '../../src/protocol/services/service-messages.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';
import { person, startChainOnAnvil } from '../contracts/chain.ts';
import * as channel from '../contracts/channel.ts';
import { depositForUser, fundService } from '../contracts/services.ts';
import { NO_PROOF } from '../contracts/sign.ts';
import { monitoringRequest, type Wanted } from './monitoring-makers.ts';
import { until } from './until.ts';

export const SHORTEST = 50n;
const TIMEOUT = 60n;
export const REWARD = 80n;
export const PRICE = 10n ** 22n;

export type MonitoringChain = Awaited<ReturnType<typeof startMonitoringChain>>;

export function signerOf(index: number): Signer {
  return createSigner(fromHex(toHex(person(index).getHdKey().privateKey ?? new Uint8Array())));
}

/** The closer (person 1) owes the owner (person 2), whose user deposit holds 100; services are 3 and 4. */
export async function startMonitoringChain() {
  const chain = await startChainOnAnvil({ deploy: { settleTimeoutMin: SHORTEST } });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-monitoring-'));
  const bus = createBus();
  const closer = person(1);
  const owner = person(2);
  const ownerOnBus = bus.connect(owner.address);
  let hellos = 0;
  ownerOnBus.onBroadcast('hello', () => {
    hellos += 1;
  });
  const stops = new Set<() => Promise<void>>();
  const said: string[] = [];
  const note = (_fields: Record<string, unknown>, text: string) => void said.push(text);
  const log = { info: note, warn: note, error: note };
  await depositForUser(chain, owner.address, 100n);
  const contracts = parseContracts(contractsFileText(chain.deployment));
  if (!contracts.ok) throw new Error(contracts.message);

  const configOf = (index: number): MonitoringConfig => ({
    version: 'test',
    rpcUrl: chain.anvil.rpc,
    networkId: null,
    broker: { bus },
    contracts: contracts.value,
    database: `file:${join(folder, `${index}.db`)}`,
    dataFolder: folder,
    stateFolder: join(folder, 'locks'),
    confirmations: 1n,
    pollIntervalMs: 50,
    minReward: REWARD,
    register: true,
    registerUntilStopped: false,
    acceptedPrice: PRICE,
    api: { host: '127.0.0.1', port: 0 },
  });

  /** What `openMonitoring` answers to this configuration, with a key of its own for each index. */
  function open(index: number, changed: Partial<MonitoringConfig> = {}) {
    return openMonitoring(
      { ...configOf(index), ...changed },
      { signer: signerOf(index), log, onFatal: (reason) => console.error(index, reason) },
    );
  }

  return {
    chain,
    closer,
    owner,
    folder,
    open,
    /** Starts a service on the database that it left; registered, and caught up with the chain. */
    async service(index: number) {
      const { address } = signerOf(index);
      const hadDeposit = await isRegistered(address);
      if (!hadDeposit)
        await fundService(chain, address, chain.deployment.serviceRegistryAddress, PRICE);
      const opened = await open(index);
      if (!opened.ok) throw new Error(opened.message);
      const stop = async () => {
        await opened.value.stop();
        stops.delete(stop);
      };
      stops.add(stop);
      await until(() => isRegistered(address), 'the service is registered');
      const seesAll = async () => opened.value.status().headBlock >= (await chain.block());
      await until(seesAll, 'the service has caught up');
      // It takes requests once its registration is confirmed.
      const takesRequests = async () => {
        if (!hadDeposit) await chain.rpc('anvil_mine', ['0x1']);
        return opened.value.status().isRegistered;
      };
      await until(takesRequests, 'the service knows that it is registered');
      return { ...opened.value, address, stop };
    },
    isRegistered,
    /** Waits until a service has written this into its log. */
    hears: (text: string) =>
      until(() => said.some((line) => line.includes(text)), `a service says: ${text}`),
    /** A channel in which the closer has deposited 50. */
    async channel() {
      const place = await channel.open(chain, closer, owner, TIMEOUT);
      await channel.fundAndDeposit(chain, place, closer, owner, 50n);
      await chain.rpc('anvil_mine', ['0x2']);
      return place;
    },
    /** Closes without any proof of the owner's; the answer is the last block before the settlement. */
    async close(id: bigint): Promise<bigint> {
      const place = { network: chain.network, chainId: chain.chainId, id };
      const evidence = await channel.closeEvidence(place, closer, owner, NO_PROOF);
      const closed = await channel.close(chain, id, closer, owner, evidence);
      if (!closed.ok) throw new Error(closed.reason);
      await chain.rpc('anvil_mine', ['0x1']);
      return closed.block + TIMEOUT;
    },
    requestText,
    /** How often the services have asked for what they may have missed. */
    hellos: () => hellos,
    /** Broadcasts the owner's request, as its node does. */
    request(id: bigint, part: Partial<Wanted> = {}): void {
      ownerOnBus.broadcast('monitoring', Buffer.from(requestText(id, part)));
    },
    /** The same request many times at once. */
    flood(id: bigint, count: number, part: Partial<Wanted> = {}): void {
      const text = Buffer.from(requestText(id, part));
      for (let n = 0; n < count; n++) ownerOnBus.broadcast('monitoring', text);
    },
    /** The first block in which the contract takes a proof from the service. */
    firstBlock: (id: bigint, service: `0x${string}`) =>
      chain.clients.public.readContract({
        address: chain.deployment.monitoringServiceAddress,
        abi: monitoringServiceAbi,
        functionName: 'firstBlockAllowedToMonitorChannel',
        args: [chain.network, id, closer.address, owner.address, service],
      }),
    /** Mines until the block is the newest. */
    async mineTo(block: bigint): Promise<void> {
      const missing = block - (await chain.block());
      if (missing > 0n) await chain.rpc('anvil_mine', [`0x${missing.toString(16)}`]);
    },
    /** The nonce of the closer's balance proof on chain. */
    nonceOnChain: async (id: bigint) =>
      (await channel.participantInfo(chain, id, closer, owner)).nonce,
    updates: () =>
      chain.clients.public.getContractEvents({
        address: chain.deployment.monitoringServiceAddress,
        abi: monitoringServiceAbi,
        eventName: 'NewBalanceProofReceived',
        fromBlock: 0n,
      }),
    claims: () =>
      chain.clients.public.getContractEvents({
        address: chain.deployment.monitoringServiceAddress,
        abi: monitoringServiceAbi,
        eventName: 'RewardClaimed',
        fromBlock: 0n,
      }),
    async stop(): Promise<void> {
      await Promise.all([...stops].map((stop) => stop()));
      await chain.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  /** The owner's request: that the closer has sent 10 in all, with nonce 7. */
  function requestText(id: bigint, part: Partial<Wanted> = {}): string {
    const signed = monitoringRequest({
      owner: signerOf(2),
      partner: signerOf(1),
      chainId: chain.chainId,
      channelId: id,
      tokenNetwork: chain.network,
      monitoringService: chain.deployment.monitoringServiceAddress,
      reward: REWARD,
      ...part,
    });
    return encodeServiceMessage(signed);
  }

  function isRegistered(address: `0x${string}`): Promise<boolean> {
    return chain.clients.public.readContract({
      address: chain.deployment.serviceRegistryAddress,
      abi: serviceRegistryAbi,
      functionName: 'hasValidRegistration',
      args: [address],
    });
  }
}
