/** A whole network of real parts on this machine: chain, contracts, broker and nodes, ready to pay. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DeployOptions } from '../contracts/deploy.ts';
import type { Log } from '../node/parts.ts';
import { createBus } from '../partner/bus.ts';
import { createPrivateFolder } from '../store/lock.ts';
import { createAccounts, type DevnetAccount } from './accounts.ts';
import { startAnvil } from './anvil.ts';
import { findNatsServer, startBroker } from './broker.ts';
import type { Ending } from './child.ts';
import { type Cleanup, createCleanup } from './cleanup.ts';
import { type OpenTimeouts, openLine } from './first-payment.ts';
import { askOver, serveInspector } from './inspector-site.ts';
import { type DevnetNode, type NodesRequest, startInProcess } from './nodes.ts';
import { freePort } from './port.ts';
import { type Program, startProcesses } from './processes.ts';
import { type ReadyFile, type Running, readyFile, writeReadyFile } from './ready-file.ts';
import {
  createServiceAccounts,
  type ServiceAccounts,
  startMonitoring,
  startPathfinding,
} from './services.ts';
import { type DevnetChain, setUpChain } from './set-up-chain.ts';
import type { ServiceNeeds } from './set-up-services.ts';
import type { Surroundings } from './surroundings.ts';

export type DevnetOptions = {
  version: string;
  nodes: number;
  /** The first node's port, then the next free ones; 0 lets the system choose each, the chain's too. */
  apiPort: number;
  apiConcurrency: number;
  concurrentReads: boolean;
  /** Defaults of every node, in blocks. */
  settleTimeout: bigint;
  revealTimeout: bigint;
  /** Seconds. */
  blockTime: number;
  /** A folder without content that is kept; null: a temporary one that goes with the devnet. */
  data: string | null;
  /** A broker that runs already; null: one of its own when nats-server is installed. */
  nats: string | null;
  contracts: Pick<DeployOptions, 'maxTokenNetworks' | 'settleTimeoutMin' | 'settleTimeoutMax'>;
  /** How to start each node as a process of its own; null: all run in this one. */
  program: Program | null;
  isOpen: boolean;
  /** Of channels that are opened here. */
  openTimeouts: OpenTimeouts;
  /** Whether path-finding, monitoring and an echo node run beside the nodes. */
  hasServices: boolean;
  readyFile: string | null;
};
export type DevnetHooks = {
  /** Told what is being done, one sentence each. */
  say: (text: string) => void;
  logOf: (name: string) => Log;
  /** A part of it ended by itself: nothing is stopped yet. */
  onTrouble: (reason: string) => void;
};
export type Devnet = {
  /** Resolves when every node takes calls. Rejects when something does not start; `stop` is still due. */
  ready: Promise<ReadyFile>;
  /** Those of the accounts, in their order; none before it is ready. */
  nodes(): readonly DevnetNode[];
  /** At any time; ends every part by its own process id and removes what is temporary. */
  stop(): Promise<void>;
};

/** Where wallets look for a chain on this machine. */
const USUAL_CHAIN_PORT = 8_545;
const USUAL_INSPECTOR_PORT = 5_100;
const SETTLED_AFTER_MS = 3_000;

type Parts = {
  options: DevnetOptions;
  hooks: DevnetHooks;
  held: Cleanup;
  onNodes(nodes: readonly DevnetNode[]): void;
};
type Cast = { accounts: DevnetAccount[]; services: ServiceAccounts | null };

export function startDevnet(options: DevnetOptions, hooks: DevnetHooks): Devnet {
  const held = createCleanup(failureTo(hooks));
  let nodes: readonly DevnetNode[] = [];
  const onNodes = (started: readonly DevnetNode[]) => {
    nodes = started;
  };
  const ready = start({ options, hooks, held, onNodes });
  const settled = ready.then(
    () => {},
    () => {},
  );
  return {
    ready,
    nodes: () => nodes,
    async stop() {
      await held.end();
      // What was just being started ends as soon as it is known.
      await Promise.race([settled, delay(SETTLED_AFTER_MS)]);
    },
  };
}

function failureTo({ say }: DevnetHooks) {
  return (error: unknown) => say(`A part did not end as it should: ${String(error)}`);
}

async function start(parts: Parts): Promise<ReadyFile> {
  const { options, hooks, held } = parts;
  await claimReadyFile(parts);
  const data = await claimFolder(parts);
  const cast = {
    accounts: createAccounts(options.nodes),
    services: options.hasServices ? createServiceAccounts() : null,
  };
  const chain = await startChain(parts, cast);
  const broker = await startMessaging(parts);
  const running = createCleanup(failureTo(hooks), 'together');
  await held.add(running.end);
  const surroundings = surroundingsOf(parts, { chain, broker, data, keep: running.add });
  const all = await startAll(parts, surroundings, cast);
  const { nodes, echo } = all;
  parts.onNodes(nodes);
  const line = echo === null ? nodes : [...nodes, echo];
  const inspector = await showInspector(parts, { nodes: line, tokens: chain.tokens });
  if (options.isOpen) await openChannels(parts, chain, line);
  const nats = 'nats' in broker ? broker.nats : null;
  const content = readyFile(chain, { nats, inspector, ...all });
  if (options.readyFile !== null && !held.hasEnded()) writeReadyFile(options.readyFile, content);
  return content;
}

function surroundingsOf(
  { options, hooks }: Parts,
  given: Pick<Surroundings, 'chain' | 'broker' | 'data' | 'keep'>,
): Surroundings {
  const { say, logOf, onTrouble } = hooks;
  return {
    ...{ ...given, version: options.version, logOf, onTrouble },
    onShutdown: (name) => say(`${name} was shut down over its API`),
    onLine: (name, line) => say(`[${name}] ${line}`),
  };
}

/** The path-finding service comes first: the nodes are told where it is. */
async function startAll(
  { options, hooks: { say } }: Parts,
  surroundings: Surroundings,
  { accounts, services }: Cast,
): Promise<Running> {
  const { program } = options;
  const serviceOf = (account: DevnetAccount) => ({ surroundings, account, program });
  const nodesOf = (url: string | null): NodesRequest => ({
    ...{ ...surroundings, accounts, echo: services?.echo ?? null, pathfinding: url },
    hasMonitoring: services !== null,
    apiPort: options.apiPort,
    apiConcurrency: options.apiConcurrency,
    concurrentReads: options.concurrentReads,
    settleTimeout: options.settleTimeout,
    revealTimeout: options.revealTimeout,
  });
  if (services === null) {
    say(`Starting ${options.nodes} nodes`);
    const nodes = await startNodes(program, nodesOf(null));
    return { nodes, echo: null, pathfinding: null, monitoring: null };
  }
  say('Starting the path-finding service');
  const pathfinding = await startPathfinding(serviceOf(services.pathfinding), options);
  say(`Starting ${options.nodes} nodes, an echo node and the monitoring service`);
  const [all, monitoring] = await Promise.all([
    startNodes(program, nodesOf(pathfinding.url)),
    startMonitoring(serviceOf(services.monitoring)),
  ]);
  return {
    nodes: all.slice(0, accounts.length),
    echo: all[accounts.length] ?? null,
    ...{ pathfinding, monitoring },
  };
}

/** Those of the accounts, in their order, then the echo node. */
async function startNodes(program: Program | null, request: NodesRequest): Promise<DevnetNode[]> {
  const nodes =
    program === null ? await startInProcess(request) : await startProcesses(request, program);
  await Promise.all(nodes.map((node) => node.ready()));
  return nodes;
}

/** The page over all nodes: its URL. */
async function showInspector(
  { options, held }: Parts,
  watched: { nodes: readonly DevnetNode[]; tokens: DevnetChain['tokens'] },
): Promise<string> {
  const port = options.apiPort === 0 ? 0 : await freePort(USUAL_INSPECTOR_PORT);
  const nodes = watched.nodes.map(({ name, address, api }) => {
    return { name, address, ask: askOver(api) };
  });
  const site = await serveInspector({ nodes, tokens: watched.tokens, port });
  await held.add(site.close);
  return `${site.url}/inspector/`;
}

async function openChannels(
  { options, hooks }: Parts,
  { tokens }: DevnetChain,
  nodes: readonly DevnetNode[],
): Promise<void> {
  const [token] = tokens;
  const timeouts = options.openTimeouts;
  if (token !== undefined) await openLine(nodes, { token, timeouts }, hooks.say);
}

/** It stands for a devnet that is ready: the file of an earlier one goes now, this one's at the end. */
async function claimReadyFile({ options, held }: Parts): Promise<void> {
  const { readyFile: path } = options;
  if (path === null) return;
  const remove = () => rmSync(path, { force: true });
  remove();
  await held.add(remove);
}

/** The databases of an earlier devnet belong to a chain that is gone: only an empty folder will do. */
async function claimFolder({ options, held }: Parts): Promise<string> {
  if (options.data === null) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-devnet-'));
    await held.add(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }
  const folder = resolve(options.data);
  createPrivateFolder(folder);
  if (readdirSync(folder).length === 0) return folder;
  throw new Error(`${folder} is not empty: give --data an empty folder, or leave it out`);
}

async function startChain(parts: Parts, { accounts, services }: Cast): Promise<DevnetChain> {
  const { rpc, setInterval } = await startAnvilOf(parts);
  const addressOf = ({ signer }: DevnetAccount) => signer.address;
  const others = services === null ? [] : Object.values(services);
  return setUpChain({
    ...{ rpc, blockTime: setInterval, contracts: parts.options.contracts, say: parts.hooks.say },
    owners: [...accounts, ...others].map(addressOf),
    ...(services === null ? {} : { services: needsOf(accounts, services) }),
  });
}

/** Everybody who has a node pays for services. */
function needsOf(accounts: readonly DevnetAccount[], services: ServiceAccounts): ServiceNeeds {
  return {
    services: [services.pathfinding, services.monitoring].map(({ signer }) => signer.account),
    users: [...accounts, services.echo].map(({ signer }) => signer.address),
  };
}

/** Whole seconds can be set later: until then every transaction has a block at once. */
async function startAnvilOf({ options, hooks, held }: Parts) {
  hooks.say('Starting the chain');
  const { blockTime } = options;
  const setInterval = Number.isInteger(blockTime) ? blockTime : null;
  const port = options.apiPort === 0 ? 0 : await freePort(USUAL_CHAIN_PORT);
  const anvil = await startAnvil({ port, ...(setInterval === null ? { blockTime } : {}) });
  report(hooks, 'the chain (anvil)', anvil);
  await held.add(anvil.stop);
  return { rpc: anvil.rpc, setInterval };
}

async function startMessaging({ options, hooks, held }: Parts): Promise<NodesRequest['broker']> {
  if (options.nats !== null) return { nats: options.nats };
  const command = findNatsServer();
  if (command !== null) {
    hooks.say(`Starting the message broker (${command})`);
    const broker = await startBroker(command);
    report(hooks, 'the message broker (nats-server)', broker);
    await held.add(broker.stop);
    return { nats: broker.url };
  }
  if (options.program !== null)
    throw new Error(
      'separate processes need a message broker: install nats-server, or give the address of one with --nats',
    );
  hooks.say('No nats-server is installed: the nodes talk over a bus inside this process');
  return { bus: createBus() };
}

function report(hooks: DevnetHooks, name: string, part: { pid: number; ended: Promise<Ending> }) {
  part.ended.then(({ wanted, text }) => {
    if (!wanted) hooks.onTrouble(`${name}, process ${part.pid}, ${text}`);
  });
}
