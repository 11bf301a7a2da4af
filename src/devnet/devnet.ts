/** A whole network of real parts on this machine: chain, contracts, broker and nodes, ready to pay. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cleanup, createCleanup } from '../host/cleanup.ts';
import { freePort } from '../host/port.ts';
import { createPrivateFolder } from '../store/durability/lock.ts';
import type { DevnetChain } from './chain/set-up-chain.ts';
import { openLine } from './first-payment.ts';
import { createAccounts, type DevnetAccount } from './network/accounts.ts';
import { type Cast, startChain, startMessaging } from './network/foundations.ts';
import { type Gates, openGates } from './network/gates.ts';
import { createMoreNodes } from './network/more-nodes.ts';
import { type DevnetNode, type NodesRequest, startInProcess } from './network/nodes.ts';
import { startProcesses } from './network/processes.ts';
import { createServiceAccounts, startMonitoring, startPathfinding } from './network/services.ts';
import type { Surroundings } from './network/surroundings.ts';
import type { DevnetHooks, DevnetOptions } from './options.ts';
import { askOver, serveInspector } from './page/inspector-site.ts';
import { createNodeLogs, levelOf, type NodeLogs } from './page/logs.ts';
import { createPlay } from './page/play.ts';
import { type ReadyFile, type Running, readyFile, writeReadyFile } from './ready-file.ts';
import { makeNetwork, networkKeeper } from './saved-network.ts';
import { openShop, type Shop } from './shop.ts';

export type Devnet = {
  /** Resolves when every node takes calls. Rejects when something does not start; `stop` still has to be called. */
  ready: Promise<ReadyFile>;
  /** The nodes of the accounts, in their order; empty before the devnet is ready. */
  nodes(): readonly DevnetNode[];
  /** May be called at any time; ends every part by its own process id and removes temporary files. */
  stop(): Promise<void>;
};

const USUAL_INSPECTOR_PORT = 5_100;
const USUAL_PAYWALL_PORT = 5_200;
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
  const gates = await openGates(messaging, {
    names: everybodyOf(cast).map(({ name }) => name),
    isWanted: options.hasGates,
    held,
  });
  const running = createCleanup(failureTo(hooks), 'together');
  await held.add(running.end);
  const surroundings = surroundingsOf(parts, { chain, broker, data, keep: running.add });
  const all = await startAll(parts, surroundings, { ...cast, gates });
  const nodes = [...all.nodes];
  const line = all.echo === null ? nodes : [...nodes, all.echo];
  parts.onNodes(nodes);
  let write = () => {};
  const onAdded = (node: DevnetNode) => {
    nodes.push(node);
    write();
  };
  const inspector = await showInspector(parts, { ...all, nodes: line, chain, gates, onAdded });
  const [token] = chain.tokens;
  const { isOpen, openTimeouts: timeouts } = options;
  if (isOpen && token !== undefined) await openLine(line, { token, timeouts }, hooks.say);
  if (options.network !== null) {
    hooks.say(`Opening the ${options.network.channels.length} channels of the file`);
    const problem = await makeNetwork(options.network, line, chain.tokens);
    if (problem !== null) hooks.say(`Not all of the network is there: ${problem}`);
  }
  const nats = 'nats' in broker ? broker.nats : null;
  const paywall = await sell(parts, chain, nodes, data);
  const content = () => readyFile(chain, { nats, inspector, paywall, ...all, nodes });
  write = () => {
    if (options.readyFile !== null && !held.hasEnded())
      writeReadyFile(options.readyFile, content());
  };
  write();
  return content();
}

function surroundingsOf(
  { options, hooks, logs }: Parts,
  given: Pick<Surroundings, 'chain' | 'broker' | 'data' | 'keep'>,
): Surroundings {
  const { say, onNodeEnded, onTrouble } = hooks;
  return {
    ...given,
    options,
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
  cast: Cast & { gates: Gates },
): Promise<Running & { request: NodesRequest }> {
  const { accounts, services } = cast;
  if (services !== null) say('Starting the path-finding service');
  const pathfinding =
    services === null ? null : await startPathfinding(surroundings, services.pathfinding);
  const others = services === null ? '' : ', an echo node and the monitoring service';
  say(`Starting ${options.nodes} nodes${others}`);
  const request = nodesRequest(surroundings, cast, pathfinding?.url ?? null);
  const [all, monitoring] = await Promise.all([
    startNodes(request),
    services === null ? null : startMonitoring(surroundings, services.monitoring),
  ]);
  const [nodes, echo = null] = [all.slice(0, accounts.length), all[accounts.length]];
  return { nodes, echo, pathfinding, monitoring, request };
}

function nodesRequest(
  surroundings: Surroundings,
  { accounts, services, gates }: Cast & { gates: Gates },
  pathfinding: string | null,
): NodesRequest {
  const everybody = everybodyOf({ accounts, services });
  return {
    ...surroundings,
    accounts,
    echo: services?.echo ?? null,
    pathfinding,
    names: everybody.map(({ name, signer }) => ({ name, address: signer.address })),
    brokerOf: gates.brokerOf,
    hasMonitoring: services !== null,
  };
}

/** Starts the nodes of the accounts, in their order, then the echo node. */
async function startNodes(request: NodesRequest): Promise<DevnetNode[]> {
  const { program } = request.options;
  const nodes =
    program === null ? await startInProcess(request) : await startProcesses(request, program);
  await Promise.all(nodes.map((node) => node.ready()));
  return nodes;
}

/** The accounts of all nodes, the echo node's last. */
function everybodyOf({ accounts, services }: Cast): DevnetAccount[] {
  return services === null ? accounts : [...accounts, services.echo];
}

type Shown = {
  /** All nodes of the page, the echo node among them. */
  nodes: readonly DevnetNode[];
  request: NodesRequest;
  chain: DevnetChain;
  gates: Gates;
  /** Called with a node that was added over the page. */
  onAdded(node: DevnetNode): void;
};

const settingsOf = ({ settleTimeout, revealTimeout, blockTime }: DevnetOptions) => ({
  settle_timeout: Number(settleTimeout),
  reveal_timeout: Number(revealTimeout),
  block_seconds: blockTime,
});

/** The name of the paywall in logs; no node has it. */
const SHOP = 'shop';

/** Serves the page that shows all nodes; answers its URL. */
async function showInspector({ options, held, logs }: Parts, shown: Shown): Promise<string> {
  const { request, chain, gates, onAdded } = shown;
  const port = options.apiPort === 0 ? 0 : await freePort(USUAL_INSPECTOR_PORT);
  const nodes = [...shown.nodes];
  const askedOf = ({ name, address, api }: DevnetNode) => ({ name, address, ask: askOver(api) });
  const asked = nodes.map(askedOf);
  const more = createMoreNodes({
    request,
    gates,
    nodes,
    named: options.nodes,
    onAdded(node) {
      nodes.push(node);
      asked.push(askedOf(node));
      onAdded(node);
    },
  });
  const others = options.hasPaywall ? [SHOP] : [];
  const site = await serveInspector({
    nodes: asked,
    tokens: chain.tokens,
    play: createPlay({
      nodes,
      rpc: chain.rpc,
      keeper: networkKeeper(nodes, chain.tokens, settingsOf(options)),
      gates: gates.byName,
      logs,
      others,
      more,
    }),
    port,
  });
  await held.add(site.close);
  return `${site.url}/inspector/`;
}

async function sell(
  { options, hooks, held, logs }: Parts,
  { tokens }: DevnetChain,
  nodes: readonly DevnetNode[],
  folder: string,
): Promise<Shop | null> {
  const [token] = tokens;
  const seller = nodes[1] ?? nodes[0];
  if (!options.hasPaywall || token === undefined || seller === undefined) return null;
  hooks.say(`Opening a shop of ${seller.name}`);
  const port = options.apiPort === 0 ? 0 : USUAL_PAYWALL_PORT;
  // What it sells stands on the page.
  const log = hooks.logOf(SHOP, (line) => logs.take(SHOP, line));
  return openShop({ seller, token, port, log, folder, keep: held.add });
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
