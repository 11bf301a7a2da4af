/** A monitoring service of this process on a virtual network, each of whose needs a test can take away. */
import { join } from 'node:path';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { openServiceDatabase } from '../../src/services/base/database.ts';
import { createServiceHealth } from '../../src/services/base/health.ts';
import {
  planRegistration,
  type RegistrationChoices,
} from '../../src/services/base/registration.ts';
import { createMonitoring } from '../../src/services/monitoring/service.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { anvilCall } from './chain.ts';
import type { VirtualNetwork } from './network.ts';
import { until } from './until.ts';

export const DAY = 86_400;
export const PRICE = 10n ** 22n;
export const REWARD = 5n * 10n ** 18n;
const SHORTEST = 10n;
const RPC = 'http://trial.test';

export type Line = {
  level: 'info' | 'warn' | 'error';
  text: string;
  fields: Record<string, unknown>;
};
export type OnTrial = Awaited<ReturnType<typeof openOnTrial>>;
type Options = {
  /** Whose key it has. */
  name: string;
  choices: RegistrationChoices;
  /** The folder of its database; absent: in memory. */
  folder?: string;
};

/** The log of a service, and what it holds of one check. */
export function createLines() {
  const lines: Line[] = [];
  const note = (level: Line['level']) => (fields: Line['fields'], text: string) =>
    void lines.push({ level, text, fields });
  return {
    lines,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    of: (check: string) => lines.filter(({ fields }) => fields['check'] === check),
  };
}

/** What a probe and Prometheus see. */
export function probesOf(answer: (request: Request) => Promise<Response | null>, name: string) {
  const get = async (path: string) => {
    const response = await answer(new Request(`http://service.test${path}`));
    return { status: response?.status ?? 0, text: (await response?.text()) ?? '' };
  };
  return {
    ready: () => get('/readyz'),
    /** 1 or 0; null: there is no such check. */
    async figure(check: string): Promise<number | null> {
      const { text } = await get('/metrics');
      const found = new RegExp(`^pcn_${name}_health\\{check="${check}"\\} (\\d)$`, 'm').exec(text);
      return found === null ? null : Number(found[1]);
    },
  };
}

/** The service token for a registration, or two. */
export const fundForService = (network: VirtualNetwork, name: string, amount = 4n * PRICE) =>
  mintTokens(
    network.clients,
    network.contracts.serviceTokenAddress,
    network.addressOf(name),
    amount,
  );

export const jump = (network: VirtualNetwork, seconds: number) =>
  anvilCall(network.chain, 'anvil_mine', '0x1', seconds);

export const pass = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Lets minutes pass, with a block or two in each, until the condition holds. */
export async function inMinutes(
  network: VirtualNetwork,
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (let minutes = 0; minutes < 10; minutes++) {
    await network.mine(2n);
    await pass(1_000);
    if (await condition()) return;
    await pass(60_000);
  }
  throw new Error(`waited in vain for: ${what}`);
}

export const registrations = async (network: VirtualNetwork) => {
  const events = await network.chain.client.getContractEvents({
    address: network.contracts.serviceRegistryAddress,
    abi: serviceRegistryAbi,
    eventName: 'RegisteredService',
    fromBlock: 0n,
  });
  return events.map(({ args }) => args.valid_till ?? 0n);
};

export async function openOnTrial(network: VirtualNetwork, { name, choices, folder }: Options) {
  const { contracts, chain, bus } = network;
  const signer = network.signerOf(name);
  const endpoint = network.addEndpoint(RPC);
  const { client } = await network.connect(RPC);
  const planned = await planRegistration({
    client,
    registry: contracts.serviceRegistryAddress,
    service: signer.address,
    choices,
  });
  if (!planned.ok) throw new Error(planned.message);
  const { chainId } = chain;
  const tokenNetworkRegistry = contracts.tokenNetworkRegistryAddress;
  const stamp = { chainId, tokenNetworkRegistry, ownAddress: signer.address };
  const url = folder === undefined ? ':memory:' : `file:${join(folder, `${name}.db`)}`;
  const opened = openServiceDatabase(url, { ...stamp, service: 'monitoring' });
  if (!opened.ok) throw new Error(opened.message);
  const log = createLines();
  const faults: string[] = [];
  const transport = bus.connect(signer.address);
  const broker = { isAway: false };
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
      transport: {
        ...transport,
        isConnected: () => !broker.isAway && transport.isConnected(),
      },
      log: log.log,
      onFatal: (reason) => void faults.push(reason),
      clock: network.clock,
      fault() {},
    },
  );
  service.start();
  const health = createServiceHealth({
    name: 'monitoring',
    rows: service.rows,
    figures: () => ({}),
  });
  return {
    address: signer.address,
    service,
    endpoint,
    broker,
    faults,
    ...log,
    ...probesOf(health.answer, 'monitoring'),
    isRegistered: () =>
      until(() => service.status().isRegistered, 'the service knows that it is registered'),
    async stop() {
      await service.stop();
      await transport.close();
      opened.database.close();
    },
  };
}
