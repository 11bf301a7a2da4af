/** The nodes that rows are asked of: each on its own database and URL, and in the state that its name says. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, noFault } from '../../src/basics/fault.ts';
import type { DevnetChain } from '../../src/devnet/chain/set-up-chain.ts';
import type { createAccounts } from '../../src/devnet/network/accounts.ts';
import { contractsFileText, parseContracts } from '../../src/host/contracts-file.ts';
import type { NodeConfig } from '../../src/host/node-config.ts';
import type { Bus } from '../../src/partner/bus.ts';
import { DEFAULT_FEE_TERMS } from '../../src/protocol/fees/fee-terms.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { until } from '../support/until.ts';
import type { Ground, OpenedNode } from './ground.ts';

export const NODE_NAMES = [
  /** Rows are asked of alice; the three have money. */
  'alice',
  'bob',
  'carol',
  /** Tokens, but nothing to pay for gas. */
  'gasless',
  /** Money for gas, but no tokens. */
  'penniless',
  /** Works on a chain of its own, whose id is 1. */
  'mainNetwork',
  /** Started with `--environment-type production`. */
  'production',
  /** Knows no user-deposit contract, nor any other contract of services. */
  'unserved',
  /** Catching up with the chain, for as long as it is needed. */
  'syncing',
  /** Has lost its chain. */
  'cutOff',
  /** Handles one call at a time, and one is under way that does not end. */
  'busy',
  /** Was told to shut down, and is kept from ending its process. */
  'ending',
  /** Two nodes that a row tells to shut down: one that is ready, and one that syncs. */
  'shutDown',
  'shutDownSyncing',
  /** Could not write to its database. */
  'broken',
] as const;
export type NodeName = (typeof NODE_NAMES)[number];

export type Place = { url: string; stop(): Promise<void> };
type Given = Partial<NodeConfig> & { fault?: Fault };

/** Rows wait for what these have read; that the others look at the chain as often would be half of the work. */
const BUSY: readonly NodeName[] = ['alice', 'bob', 'carol', 'gasless'];
/** Only shown to clients; no node asks this service. */
const PFS = 'https://pfs.example';
const quietLog = { info() {}, warn() {}, error() {} };

export function createNodes(
  ground: Ground,
  accounts: ReturnType<typeof createAccounts>,
  bus: Bus,
  inTurn: readonly NodeName[],
) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-conformance-'));
  const running: Place[] = [];
  const started = new Map<NodeName, Promise<Place>>();
  const told = new Set<NodeName>();

  const signerOf = (name: NodeName): Signer => {
    const signer = accounts[NODE_NAMES.indexOf(name)]?.signer;
    if (signer === undefined) throw new Error(`${name} has no account`);
    return signer;
  };

  function configOf(chain: DevnetChain, name: NodeName): NodeConfig {
    const contracts = parseContracts(contractsFileText(chain.contracts));
    if (!contracts.ok) throw new Error(contracts.message);
    return {
      version: '0.0.0-test',
      rpcUrl: chain.rpc,
      networkId: chain.chainId,
      contracts: contracts.value,
      broker: { bus },
      database: `file:${join(folder, name, 'node.db')}`,
      dataFolder: folder,
      stateFolder: join(folder, 'locks'),
      confirmations: 1n,
      defaultSettleTimeout: 500n,
      defaultRevealTimeout: 50n,
      isProduction: false,
      pathfindingServiceAddress: null,
      routingMode: 'local',
      fees: { byToken: new Map(), others: DEFAULT_FEE_TERMS },
      monitoringReward: null,
      pollIntervalMs: BUSY.includes(name) ? 60 : 300,
      releaseFeed: null,
      hasInspector: false,
      webhooks: null,
      api: {
        host: '127.0.0.1',
        port: 0,
        concurrency: inTurn.includes(name) ? 1 : 8,
        // Ten thousand calls may take longer than usual callers wait.
        queueSeconds: 3_600,
      },
    };
  }

  async function open(chain: DevnetChain, name: NodeName, { fault = noFault, ...given }: Given) {
    const onShutdown = () => void told.add(name);
    const hooks = { signer: signerOf(name), log: quietLog, fault, onShutdown };
    const config = { ...configOf(chain, name), ...given };
    const opened = await ground.openNode(config, { ...hooks, onFatal: () => {} });
    if (!opened.ok) throw new Error(`${name} does not start: ${opened.message}`);
    const { apiUrl: url, stop } = opened.value;
    const place = { url, stop, node: opened.value };
    running.push(place);
    return place;
  }

  async function openReady(chain: DevnetChain, name: NodeName, given: Given = {}) {
    const place = await open(chain, name, given);
    await until(() => place.node.status().status === 'ready', `${name} is ready`);
    return place;
  }

  /** A node on an endpoint of its own, which stops answering once the node is in the state. */
  async function openCut(chain: DevnetChain, name: NodeName, state: 'syncing' | 'unavailable') {
    const proxy = await ground.startRpcProxy(chain.rpc);
    running.push({ url: proxy.rpc, stop: proxy.stop });
    const isThere = ({ status }: OpenedNode) => status().status === state;
    // Logs of few blocks at a time, and never those after the first.
    let answered = 0;
    if (state === 'syncing')
      proxy.setRule(async ({ method, params }, forward) => {
        if (method !== 'eth_getLogs') return forward();
        const { fromBlock, toBlock } = Object(params[0]);
        if (Number(toBlock) - Number(fromBlock) > 4)
          return { error: { code: -32_005, message: 'too many blocks' } };
        return ++answered > 1 ? new Promise(() => {}) : forward();
      });
    const begin = state === 'syncing' ? open : openReady;
    const place = await begin(chain, name, { rpcUrl: proxy.rpc });
    if (state === 'unavailable') proxy.setRule(async () => 'cut the line');
    await until(() => isThere(place.node), `${name} is ${state}`);
    return place;
  }

  function openNamed(chain: DevnetChain, name: NodeName): Promise<Place> {
    const config = configOf(chain, name);
    switch (name) {
      case 'production':
        return openProduction(chain);
      case 'unserved': {
        const none = { userDepositAddress: null, monitoringServiceAddress: null };
        const nothing = { ...none, oneToNAddress: null, serviceRegistryAddress: null };
        return openReady(chain, name, { contracts: { ...config.contracts, ...nothing } });
      }
      case 'syncing':
      case 'shutDownSyncing':
        return openCut(chain, name, 'syncing');
      case 'cutOff':
        return openCut(chain, name, 'unavailable');
      case 'busy':
        return openBusy(chain);
      case 'ending':
        return openEnding(chain);
      case 'broken':
        throw new Error('a broken node is served by itself');
      default:
        return openReady(chain, name);
    }
  }

  /** A server that announces a newer version. */
  async function openProduction(chain: DevnetChain): Promise<Place> {
    const feed = await ground.serveText(JSON.stringify({ version: '99.0.0', security: true }));
    running.push(feed);
    const releaseFeed = feed.url;
    const given = { isProduction: true, pathfindingServiceAddress: PFS, releaseFeed };
    return openReady(chain, 'production', given);
  }

  /** Its endpoint takes no transaction, so that the call which asks for one goes on. */
  async function openBusy(chain: DevnetChain): Promise<Place> {
    const proxy = await ground.startRpcProxy(chain.rpc);
    running.push({ url: proxy.rpc, stop: proxy.stop });
    const api = { host: '127.0.0.1', port: 0, concurrency: 1, queueSeconds: 1 };
    const place = await openReady(chain, 'busy', { rpcUrl: proxy.rpc, api });
    proxy.setRule(async ({ method }, forward) =>
      method === 'eth_sendRawTransaction' ? new Promise(() => {}) : forward(),
    );
    const path = `/api/v1/_testing/tokens/${chain.tokens[0]?.address}/mint`;
    const body = JSON.stringify({ to: signerOf('busy').address, value: '1' });
    const headers = { 'content-type': 'application/json' };
    // Never answered before the node stops.
    void fetch(place.url + path, { method: 'POST', headers, body }).catch(() => {});
    const isBusy = async () => (await fetch(`${place.url}/api/v1/address`)).status === 503;
    await until(isBusy, 'calls would have to wait too long');
    return place;
  }

  /** A program would end now; here the node stays in the state between the request and its end. */
  async function openEnding(chain: DevnetChain): Promise<Place> {
    const place = await openReady(chain, 'ending');
    const answer = await fetch(`${place.url}/api/v1/shutdown`, { method: 'POST' });
    if (answer.status !== 200) throw new Error('the shutdown is refused');
    return place;
  }

  return {
    addressOf: (name: NodeName) => signerOf(name).address,
    /** Starts it when it is asked for first. */
    place(chain: DevnetChain, name: NodeName): Promise<Place> {
      const place = started.get(name) ?? openNamed(chain, name);
      started.set(name, place);
      return place;
    },
    /** A node that meets the fault. */
    openFailing: (chain: DevnetChain, name: NodeName, fault: Fault) =>
      openReady(chain, name, { fault }),
    /** Whether its API was asked to shut it down. */
    wasToldToStop: (name: NodeName) => told.has(name),
    async stop() {
      for (const { stop } of running.reverse()) await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
