/** The nodes of a devnet, and how to run all of them in this process. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { noFault } from '../../basics/fault.ts';
import type { Address } from '../../basics/hex.ts';
import { contractsFileText, parseContracts } from '../../host/contracts-file.ts';
import { keepOpen } from '../../host/keep-open.ts';
import type { NamedAddress } from '../../host/names-file.ts';
import type { NodeConfig, OpenNode } from '../../host/node-config.ts';
import { freePort } from '../../host/port.ts';
import { echoOn } from '../../host/services/echo-node.ts';
import type { JoinedBroker } from '../../partner/join.ts';
import { DEFAULT_FEE_TERMS } from '../../protocol/fees/fee-terms.ts';
import { CONFIRMATIONS } from '../chain/confirmations.ts';
import type { DevnetAccount } from './accounts.ts';
import type { Surroundings } from './surroundings.ts';

export type DevnetNode = {
  name: string;
  address: Address;
  /** Without a path, e.g. `http://127.0.0.1:5001`. */
  api: string;
  database: string;
  /** The id of the process in which it runs, or ran last. */
  pid(): number;
  isRunning(): boolean;
  /** Resolves when the node takes calls. */
  ready(): Promise<void>;
  /** Ends the node in order; resolves when it has ended. */
  stop(): Promise<void>;
  /** Starts the node again, at the same address and on the same database; resolves when it takes calls. */
  start(): Promise<void>;
  /** The process of its own; null when it runs in this process. */
  process: NodeProcess | null;
};
type NodeProcess = {
  /** Kills the process with SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
  /** Pauses the process; `resume` lets it continue. */
  pause(): void;
  resume(): void;
};

export type NodesRequest = Surroundings & {
  /** The broker's address for the node of that name, which may be a gate. */
  brokerOf(name: string): JoinedBroker;
  accounts: readonly DevnetAccount[];
  /** The account of an additional echo node; null: there is none. */
  echo: DevnetAccount | null;
  /** What the pages call each address; it grows with nodes that are added later. */
  names: NamedAddress[];
  /** URL of the path-finding service; null: every node finds routes on its own copy of the network. */
  pathfinding: string | null;
  /** Whether monitoring services are asked to protect the channels. */
  hasMonitoring: boolean;
};

/** The reward for each channel that a service protects: 5 whole service tokens. */
export const MONITORING_REWARD = 5n * 10n ** 18n;
export const POLL_INTERVAL_MS = 100;
const READY_AFTER_MS = 60_000;

/** Runs every node in this process, each on its own database and port. */
export async function startInProcess(request: NodesRequest): Promise<DevnetNode[]> {
  const nodes: DevnetNode[] = [];
  for (const { account, port } of await withPorts(request))
    nodes.push(await openOne(request, account, port));
  return nodes;
}

/** Gives every account a port of its own, the echo node's account last. */
export async function withPorts({ accounts, echo, options }: NodesRequest) {
  const places: { account: DevnetAccount; port: number }[] = [];
  let port = options.apiPort;
  for (const account of echo === null ? accounts : [...accounts, echo]) {
    port = await freePort(port);
    places.push({ account, port });
    if (port !== 0) port += 1;
  }
  return places;
}

/** Runs one node in this process. */
export async function openOne(
  request: NodesRequest,
  account: DevnetAccount,
  port: number,
): Promise<DevnetNode> {
  const { name, signer } = account;
  const log = request.logOf(name);
  let running: OpenNode | null = null;
  let stopping: Promise<void> = Promise.resolve();

  function stop(): Promise<void> {
    const ending = running;
    running = null;
    if (ending !== null) stopping = ending.stop();
    return stopping;
  }

  async function open(chosen: number): Promise<OpenNode> {
    const hooks = {
      signer,
      log,
      fault: noFault,
      onShutdown: () => {
        setImmediate(() => void stop());
        request.onShutdown(name);
      },
      onFatal: (reason: string) => {
        setImmediate(() => void stop());
        request.onNodeEnded(name, `cannot go on: ${reason}`);
      },
    };
    const opened = await keepOpen(configOf(request, name, chosen), hooks);
    if (!opened.ok) throw new Error(`${name} does not start: ${opened.message}`);
    await request.keep(opened.value.stop);
    running = opened.value;
    return opened.value;
  }

  const { address, apiUrl: api, database } = await open(port);

  async function ready(): Promise<void> {
    await waitFor(() => running === null || running.status().status === 'ready', name);
    if (running === null) throw new Error(`${name} ended before it was ready`);
    if (account !== request.echo) return;
    const echo = echoOn(running, { signer, log });
    await request.keep(async () => echo.stop());
  }

  return {
    name,
    address,
    api,
    database,
    ready,
    stop,
    process: null,
    pid: () => process.pid,
    isRunning: () => running !== null,
    async start() {
      await stopping;
      // The same port as before, also when the system had chosen it, so that callers find the node again.
      if (running === null) await open(Number(new URL(api).port));
      await ready();
    },
  };
}

/** What nodes and services of this process have in common. */
export function commonConfig({ chain, data, options }: Surroundings, name: string) {
  const contracts = parseContracts(contractsFileText(chain.contracts));
  if (!contracts.ok) throw new Error(contracts.message);
  return {
    version: options.version,
    contracts: contracts.value,
    rpcUrl: chain.rpc,
    networkId: chain.chainId,
    database: databaseOf(data, name),
    dataFolder: data,
    stateFolder: join(data, 'locks'),
    confirmations: CONFIRMATIONS,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

function configOf(request: NodesRequest, name: string, port: number): NodeConfig {
  const { apiConcurrency, apiQueueSeconds, concurrentReads, ...options } = request.options;
  return {
    ...commonConfig(request, name),
    broker: request.brokerOf(name),
    // A target takes no lock that expires within its own reveal timeout.
    defaultSettleTimeout: options.settleTimeout,
    defaultRevealTimeout: options.revealTimeout,
    isProduction: false,
    pathfindingServiceAddress: request.pathfinding,
    routingMode: request.pathfinding === null ? 'local' : 'pfs',
    fees: { byToken: new Map(), others: DEFAULT_FEE_TERMS },
    monitoringReward: request.hasMonitoring ? MONITORING_REWARD : null,
    releaseFeed: null,
    webhooks: null,
    hasInspector: true,
    hasWallet: true,
    names: request.names,
    api: {
      host: '127.0.0.1',
      port,
      concurrency: apiConcurrency,
      queueSeconds: apiQueueSeconds,
      concurrentReads,
    },
  };
}

export function databaseOf(data: string, name: string): string {
  return `file:${join(data, name, 'node.db')}`;
}

async function waitFor(condition: () => boolean, name: string): Promise<void> {
  const end = performance.now() + READY_AFTER_MS;
  while (!condition()) {
    if (performance.now() > end)
      throw new Error(`${name} was not ready after ${READY_AFTER_MS / 1000} s`);
    await delay(20);
  }
}
