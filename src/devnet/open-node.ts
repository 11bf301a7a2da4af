/** Puts one node together from a plain configuration: chain, database, messaging, runtime and API. */
import { join } from 'node:path';
import type { NodeStatus } from '../node/api.ts';
import type { Fault } from '../node/fault.ts';
import type { Log, NodeSettings } from '../node/parts.ts';
import { type RunningNode, startNode } from '../node/start.ts';
import type { Bus } from '../partner/bus.ts';
import { connectNats } from '../partner/nats.ts';
import type { Transport } from '../partner/transport.ts';
import type { Address } from '../protocol/hex.ts';
import { recover } from '../signer/ecdsa.ts';
import type { Signer } from '../signer/signer.ts';
import { lockKey } from '../store/lock.ts';
import { openStore, type Store } from '../store/open.ts';
import type { Stamp } from '../store/stamp.ts';
import { type CheckedChain, checkChain } from './check-chain.ts';
import { type Cleanup, createCleanup } from './cleanup.ts';
import type { KnownContracts } from './contracts-file.ts';
import { guardNode } from './guard-node.ts';
import { type ApiConfig, serveNode } from './node-api.ts';
import { type Refusal, refusal } from './refusal.ts';
import { createSystemChance, systemClock } from './system.ts';

export type NodeConfig = {
  version: string;
  rpcUrl: string;
  /** The chain id that is demanded; null takes the endpoint's. */
  networkId: bigint | null;
  contracts: KnownContracts;
  /** A NATS address that `parseNatsUrl` can read, or the bus of this process. */
  broker: { nats: string } | { bus: Bus };
  /** As `openStore` takes it; null: a file named by chain, contracts and address in `dataFolder`. */
  database: string | null;
  dataFolder: string;
  /** Where the locks are that keep a key from running twice. */
  stateFolder: string;
  confirmations: bigint;
  defaultSettleTimeout: bigint;
  defaultRevealTimeout: bigint;
  isProduction: boolean;
  pathfindingServiceAddress: string | null;
  pollIntervalMs: number;
  api: ApiConfig;
};
export type NodeHooks = {
  signer: Signer;
  log: Log;
  fault: Fault;
  /** Somebody asked the API to end the node. */
  onShutdown(): void;
  /** The node cannot go on; its API has answered 500 to whoever waits and is closing. Called once. */
  onFatal(reason: string): void;
};
export type OpenNode = {
  address: Address;
  chainId: bigint;
  /** Without a path, e.g. `http://127.0.0.1:5001`. */
  apiUrl: string;
  database: string;
  status(): NodeStatus;
  /**
   * After `onFatal`: open deadlines are kept from the last state on disk. Resolves when nothing is at stake
   * any more, or when that cannot be done either.
   */
  guard(): Promise<void>;
  /** In order: no new calls, then the node, then what it holds. May be called again. */
  stop(): Promise<void>;
};

type Parts = { config: NodeConfig; hooks: NodeHooks; held: Cleanup };

/** Development chains, where the shortest reveal timeout is one block. */
const DEVELOPMENT_CHAINS = [1337n, 31_337n];
const MAIN_NETWORK = 1n;

/**
 * Starts the node; it goes on syncing afterwards. What it holds is given back when it is refused. Throws
 * when the stored state cannot be read.
 */
export async function openNode(
  config: NodeConfig,
  hooks: NodeHooks,
): Promise<{ ok: true; value: OpenNode } | Refusal> {
  const held = createCleanup((error) => {
    hooks.log.error({ error: String(error) }, 'a part of the node did not end as it should');
  });
  try {
    const opened = await open({ config, hooks, held });
    if (!opened.ok) await held.end();
    return opened;
  } catch (error) {
    await held.end();
    throw error;
  }
}

async function open(parts: Parts): Promise<{ ok: true; value: OpenNode } | Refusal> {
  const { config, hooks, held } = parts;
  const fatal = createFatal(hooks);
  const chain = await checkChain({
    ...config,
    onOtherChain: (id) => fatal.met(`the endpoint suddenly serves chain ${id}`, null, 'foreign'),
  });
  if (!chain.ok) return chain;
  await held.add(chain.value.connection.stop);
  const settings = settingsOf(config, chain.value);
  const wrong = timeoutRefusal(settings);
  if (wrong !== null) return wrong;
  const claimed = claim(parts, settings);
  if (!claimed.ok) return claimed;
  await held.add(claimed.release);
  await warnAboutGas(hooks, chain.value);
  const node = start(parts, { settings, chain: chain.value, store: claimed.store, fatal });
  const server = await serveNode({ node, config: config.api, onInternalError: fatal.inCall });
  let stopped: Promise<void> | null = null;
  const stopNode = () => {
    stopped ??= node.stop();
    return stopped;
  };
  await held.add(async () => {
    const answered = server.ok ? server.value.end() : null;
    await stopNode();
    await answered;
  });
  if (!server.ok) return server;
  fatal.answerWith(server.value.fail);
  return {
    ok: true,
    value: {
      address: hooks.signer.address,
      chainId: settings.chainId,
      apiUrl: server.value.url,
      database: claimed.database,
      status: node.status,
      guard: async () => {
        if (!fatal.isInternal()) return;
        await stopNode();
        const { database, stamp } = claimed;
        await guardNode({ settings, parts: commonParts(parts, chain.value), database, stamp });
      },
      stop: held.end,
    },
  };
}

type Start = { settings: NodeSettings; chain: CheckedChain; store: Store; fatal: Fatal };

function start(parts: Parts, { settings, chain, store, fatal }: Start): RunningNode {
  const common = commonParts(parts, chain);
  const transport = joinBroker(parts, settings);
  return startNode(
    settings,
    { ...common, store, transport, onFatal: fatal.met },
    parts.hooks.onShutdown,
  );
}

function commonParts({ hooks }: Parts, { reads, connection }: CheckedChain) {
  const { signer, log, fault } = hooks;
  const chance = createSystemChance();
  return {
    signer,
    recover,
    log,
    fault,
    reads,
    chance,
    clock: systemClock,
    client: connection.client,
  };
}

type Fatal = ReturnType<typeof createFatal>;

/** The first reason counts; the API is told as soon as there is one. */
function createFatal(hooks: NodeHooks) {
  let reason: string | null = null;
  let internal = false;
  let fail: (() => Promise<void>) | null = null;

  function report() {
    if (reason === null || fail === null) return;
    void fail();
    hooks.onFatal(reason);
  }
  function met(why: string, _error: unknown, kind: 'internal' | 'foreign') {
    if (reason !== null) return;
    reason = why;
    internal = kind === 'internal';
    report();
  }
  return {
    met,
    /** Whether the fault is in this process and not in the chain or with another holder of the key. */
    isInternal: () => internal,
    inCall(error: unknown) {
      hooks.log.error({ error: String(error) }, 'an API call failed');
      met('an API call failed', error, 'internal');
    },
    /** How to answer whoever waits; called at once when there is a reason already. */
    answerWith(answer: () => Promise<void>) {
      fail = answer;
      report();
    },
  };
}

function settingsOf(config: NodeConfig, chain: CheckedChain): NodeSettings {
  const { chainId } = chain.connection;
  return {
    version: config.version,
    chainId,
    contracts: chain.contracts,
    deployBlock: config.contracts.deployBlock,
    confirmations: config.confirmations,
    defaultSettleTimeout: config.defaultSettleTimeout,
    defaultRevealTimeout: config.defaultRevealTimeout,
    minRevealTimeout: DEVELOPMENT_CHAINS.includes(chainId) ? 1n : 20n,
    isProduction: config.isProduction || chainId === MAIN_NETWORK,
    pathfindingServiceAddress: config.pathfindingServiceAddress,
    depositLimits: chain.depositLimits,
    pollIntervalMs: config.pollIntervalMs,
  };
}

function timeoutRefusal(settings: NodeSettings): Refusal | null {
  const { defaultSettleTimeout: settle, defaultRevealTimeout: reveal, minRevealTimeout } = settings;
  if (reveal < minRevealTimeout)
    return refusal(
      'invalid_settings',
      `on this chain --default-reveal-timeout must be at least ${minRevealTimeout} blocks`,
    );
  if (settle >= 2n * reveal) return null;
  return refusal(
    'invalid_settings',
    '--default-settle-timeout must be at least twice --default-reveal-timeout',
  );
}

type Claimed = { ok: true; store: Store; database: string; stamp: Stamp; release: () => void };

/** The key and the database, for this process alone. */
function claim({ config, hooks }: Parts, { chainId, contracts }: NodeSettings): Claimed | Refusal {
  const { address } = hooks.signer;
  const registry = contracts.tokenNetworkRegistryAddress;
  const key = lockKey({ folder: config.stateFolder, name: `${chainId}-${address}` });
  if (!key.ok) {
    const what = `another process on this machine runs the node ${address} on chain ${chainId}`;
    return refusal('key_in_use', `${what}: stop it first, one key must never run twice`);
  }
  const name = `${chainId}-${registry.slice(2, 10)}-${address}`;
  const database = config.database ?? `file:${join(config.dataFolder, name, 'node.db')}`;
  const stamp = { chainId, tokenNetworkRegistry: registry, ownAddress: address };
  const opened = openStore({ url: database, stamp });
  if (!opened.ok) {
    key.release();
    return refusal('database', opened.message);
  }
  const { store } = opened;
  const release = () => {
    store.close();
    key.release();
  };
  return { ok: true, store, database, stamp, release };
}

function joinBroker({ config, hooks }: Parts, settings: NodeSettings): Transport {
  const { address } = hooks.signer;
  if ('bus' in config.broker) return config.broker.bus.connect(address);
  return connectNats({
    url: config.broker.nats,
    chainId: settings.chainId,
    tokenNetworkRegistry: settings.contracts.tokenNetworkRegistryAddress,
    address,
    report: (problem) => hooks.log.warn({}, problem),
  });
}

/** Enough for closing and settling one channel; without it, money in channels cannot be protected. */
const LEAST_GAS = 500_000n;

async function warnAboutGas({ signer, log }: NodeHooks, { reads }: CheckedChain): Promise<void> {
  const { address } = signer;
  const [money, price] = await Promise.all([reads.nativeBalance(address), reads.gasPrice()]);
  if (!money.ok || !price.ok || money.value >= LEAST_GAS * price.value) return;
  const wanted = LEAST_GAS * price.value;
  log.warn(
    { address, wei: money.value, wanted },
    'the account has too little money for gas: send it some before opening channels',
  );
}
