/** A whole network of real parts on this machine: chain, contracts, broker and nodes, ready to pay. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cleanup, createCleanup } from '../host/cleanup.ts';
import { freePort } from '../host/port.ts';
import { createPrivateFolder } from '../store/durability/lock.ts';
import { createAccounts, type DevnetAccount } from './accounts.ts';
import type { DevnetChain } from './chain/set-up-chain.ts';
import { openLine } from './first-payment.ts';
import { type Cast, type Messaging, startChain, startMessaging } from './foundations.ts';
import { type Gate, openGate } from './gate.ts';
import { type DevnetNode, type NodesRequest, startInProcess } from './nodes.ts';
import type { DevnetHooks, DevnetOptions } from './options.ts';
import { askOver, serveInspector } from './page/inspector-site.ts';
import { createNodeLogs, levelOf, type NodeLogs } from './page/logs.ts';
import { createPlay } from './page/play.ts';
import { type Program, startProcesses } from './processes.ts';
import { type ReadyFile, type Running, readyFile, writeReadyFile } from './ready-file.ts';
import { createServiceAccounts, startMonitoring, startPathfinding } from './services.ts';
import type { Surroundings } from './surroundings.ts';

export type Devnet = {
  /** Resolves when every node takes calls. Rejects when something does not start; `stop` still has to be called. */
  ready: Promise<ReadyFile>;
  /** The nodes of the accounts, in their order; empty before the devnet is ready. */
  nodes(): readonly DevnetNode[];
  /** May be called at any time; ends every part by its own process id and removes temporary files. */
  stop(): Promise<void>;
};

const USUAL_INSPECTOR_PORT = 5_100;
const SETTLED_AFTER_MS = 3_000;

type Parts = {
  options: DevnetOptions;
  hooks: DevnetHooks;
  held: Cleanup;
  logs: NodeLogs;
  onNodes(nodes: readonly DevnetNode[]): void;
};

export function startDevnet(options: DevnetOptions, hooks: DevnetHooks): Devnet {
  const held = createCleanup(failureTo(hooks));
  let nodes: readonly DevnetNode[] = [];
  const onNodes = (started: readonly DevnetNode[]) => {
    nodes = started;
  };
  const ready = start({ options, hooks, held, logs: createNodeLogs(), onNodes });
  const settled = ready.then(
    () => {},
    () => {},
  );
  return {
    ready,
    nodes: () => nodes,
    async stop() {
      await held.end();
      // Parts that were just being started are ended as soon as they have started.
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
  const messaging = await startMessaging(parts);
  const { broker } = messaging;
  const gates = await openGates(parts, messaging, cast);
  const running = createCleanup(failureTo(hooks), 'together');
  await held.add(running.end);
  const surroundings = surroundingsOf(parts, { chain, broker, data, keep: running.add });
  const all = await startAll(parts, surroundings, { ...cast, gates });
  const { nodes, echo } = all;
  parts.onNodes(nodes);
  const line = echo === null ? nodes : [...nodes, echo];
  const inspector = await showInspector(parts, { nodes: line, chain, gates });
  if (options.isOpen) await openChannels(parts, chain, line);
  const nats = 'nats' in broker ? broker.nats : null;
  const content = readyFile(chain, { nats, inspector, ...all });
  if (options.readyFile !== null && !held.hasEnded()) writeReadyFile(options.readyFile, content);
  return content;
}

function surroundingsOf(
  { options, hooks, logs }: Parts,
  given: Pick<Surroundings, 'chain' | 'broker' | 'data' | 'keep'>,
): Surroundings {
  const { say, onNodeEnded, onTrouble } = hooks;
  return {
    ...given,
    version: options.version,
    logOf: (name) => hooks.logOf(name, (line) => logs.take(name, line)),
    onNodeEnded,
    onTrouble,
    onShutdown: (name) => say(`${name} was shut down over its API`),
    onLine: (name, line) => {
      logs.take(name, line);
      hooks.onLine(name, line, levelOf(line));
    },
  };
}

/** Starts the services and nodes; the path-finding service first, because the nodes need its URL. */
async function startAll(
  { options, hooks: { say } }: Parts,
  surroundings: Surroundings,
  { accounts, services, gates }: Cast & { gates: Gates },
): Promise<Running> {
  const { program } = options;
  const serviceOf = (account: DevnetAccount) => ({ surroundings, account, program });
  const nodesOf = (url: string | null): NodesRequest => ({
    ...surroundings,
    accounts,
    echo: services?.echo ?? null,
    pathfinding: url,
    brokerOf: (name) => {
      const gate = gates.get(name);
      return gate === undefined ? surroundings.broker : { nats: gate.url };
    },
    hasMonitoring: services !== null,
    apiPort: options.apiPort,
    apiConcurrency: options.apiConcurrency,
    apiQueueSeconds: options.apiQueueSeconds,
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
    pathfinding,
    monitoring,
  };
}

/** Starts the nodes of the accounts, in their order, then the echo node. */
async function startNodes(program: Program | null, request: NodesRequest): Promise<DevnetNode[]> {
  const nodes =
    program === null ? await startInProcess(request) : await startProcesses(request, program);
  await Promise.all(nodes.map((node) => node.ready()));
  return nodes;
}

type Gates = ReadonlyMap<string, Gate>;

/** Opens a gate for each node, between it and the broker, if the broker belongs to this devnet. */
async function openGates(
  { options, held }: Parts,
  { broker, isOwn }: Messaging,
  { accounts, services }: Cast,
): Promise<Gates> {
  const gates = new Map<string, Gate>();
  if (!options.hasGates || !isOwn || 'bus' in broker) return gates;
  for (const { name } of services === null ? accounts : [...accounts, services.echo]) {
    const gate = await openGate(broker.nats);
    await held.add(gate.close);
    gates.set(name, gate);
  }
  return gates;
}

type Shown = { nodes: readonly DevnetNode[]; chain: DevnetChain; gates: Gates };

/** Serves the page that shows all nodes; answers its URL. */
async function showInspector({ options, held, logs }: Parts, shown: Shown): Promise<string> {
  const { nodes, chain, gates } = shown;
  const port = options.apiPort === 0 ? 0 : await freePort(USUAL_INSPECTOR_PORT);
  const site = await serveInspector({
    nodes: nodes.map(({ name, address, api }) => ({ name, address, ask: askOver(api) })),
    tokens: chain.tokens,
    play: createPlay({ nodes, rpc: chain.rpc, gates, logs }),
    port,
  });
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

/** The ready file says that a devnet is ready: that of an earlier one is removed now, this devnet's own at the end. */
async function claimReadyFile({ options, held }: Parts): Promise<void> {
  const { readyFile: path } = options;
  if (path === null) return;
  const remove = () => rmSync(path, { force: true });
  remove();
  await held.add(remove);
}

/** The folder for data. A given one must be empty: databases of an earlier devnet belong to a chain that is gone. */
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
