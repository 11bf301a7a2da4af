import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/basics/environment.ts';
import { noFault } from '../../src/basics/fault.ts';
import { type Address, fromHex, toHex } from '../../src/basics/hex.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import { createReads } from '../../src/chain/reads.ts';
import {
  type Deployment,
  type DeployOptions,
  deployContracts,
} from '../../src/contracts/deploy.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { deployToken, mintTokens, registerNewToken } from '../../src/contracts/tokens.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import type { ChannelView } from '../../src/node/runtime/actors/channel-states.ts';
import type { NodeParts, NodeSettings } from '../../src/node/runtime/parts.ts';
import { type RunningNode, startNode } from '../../src/node/start.ts';
import { createBus } from '../../src/partner/bus.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { DEFAULT_FEE_TERMS } from '../../src/protocol/fees/fee-terms.ts';
import { addressOfCompressed, recover } from '../../src/signer/ecdsa.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';
import type { Stamp } from '../../src/store/base/stamp.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { startAnvil } from './anvil.ts';
import { anvilAccount, anvilCall, clientsFor, connected } from './chain.ts';
import { whileMining } from './mining.ts';
import { createReader, speaker } from './sealed.ts';
import { until } from './until.ts';
import { startVirtualGround } from './virtual-ground.ts';

export const TOKENS = 10n ** 18n;

/** Each has one of the chain's rich accounts. */
const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan'];

export type TestNode = RunningNode & { name: string; failures: string[] };
export type Network = ReturnType<typeof networkOn>;
export type VirtualNetwork = ReturnType<typeof startVirtualNetwork>;
export type RealNetwork = Awaited<ReturnType<typeof startNetwork>>;

type NodeChoices = Partial<NodeSettings>;
/** `rpc`: the endpoint, when it is not the chain itself; `clock`: when it is not the machine's own. */
type Given = { rpc?: string; clock?: Clock };
/** What a node writes to its log and counts. */
export type Watch = Pick<NodeParts, 'log' | 'meter'>;
const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
};
const quietLog = { info() {}, warn() {}, error() {} };

/** What the nodes of a network stand on: a chain with contracts and one registered token, their disks, and time. */
export type Ground = {
  chain: ChainConnection;
  clients: Clients;
  contracts: Deployment;
  token: Address;
  tokenNetwork: Address;
  clock: Clock;
  /** A node's own connection to the chain. */
  connect(rpc?: string): Promise<Pick<ChainConnection, 'client' | 'stop'>>;
  /** Opens the node's database, a new one or the one that it left. */
  open(name: string, stamp: Stamp): Store;
  /** A new token, without a token network. */
  createToken(symbol: string): Promise<Address>;
  /** Removes the database of a node that is not running. */
  forget(name: string): void;
  stop(): Promise<void>;
};
type Choices = {
  choices?: NodeChoices;
  deploy?: DeployOptions;
  /** The books are looked at after every commit, which takes its time. */
  checkBooks?: boolean;
  chainId?: number;
  /** Opens a database for nodes in virtual time, instead of a disk in memory. */
  open?: Ground['open'];
};
const DEPLOY: DeployOptions = { settleTimeoutMin: 20n };
const CHAIN_ID = 31_337;
/** Where each look at the chain is a request over HTTP. */
const REAL_POLL_MS = 50;

/** Nodes that this process runs on a simulated chain, in time that does not wait: see `virtual-ground.ts`. */
export function startVirtualNetwork(given: Choices = {}) {
  const { deploy = DEPLOY, chainId = CHAIN_ID } = given;
  const virtual = startVirtualGround({ chainId, deploy });
  const ground = { ...virtual, open: given.open ?? virtual.open };
  return { ...ground, ...networkOn(ground, given) };
}

/** Nodes that this process runs on real parts: anvil, and database files. */
export async function startNetwork(given: Choices = {}) {
  const { deploy = DEPLOY, chainId = CHAIN_ID } = given;
  const { anvil, databaseOf, ...ground } = await startRealGround({ chainId, deploy });
  const choices = { pollIntervalMs: REAL_POLL_MS, ...given.choices };
  return { ...networkOn(ground, { ...given, choices }), anvil, databaseOf };
}

async function startRealGround({ chainId, deploy }: { chainId: number; deploy: DeployOptions }) {
  const anvil = await startAnvil({ chainId });
  const chain = await connected(anvil.rpc);
  const clients = clientsFor(anvil.rpc, chain, anvilAccount(0));
  const contracts = await deployContracts(clients, deploy);
  const token = await deployToken(clients, { name: 'Test', symbol: 'TTA' });
  const tokenNetwork = await registerNewToken(
    clients,
    contracts.tokenNetworkRegistryAddress,
    token,
  );
  const folder = mkdtempSync(join(tmpdir(), 'sluice-network-'));
  const databaseOf = (name: string) => join(folder, `${name}.db`);
  return {
    anvil,
    databaseOf,
    chain,
    clients,
    contracts,
    token,
    tokenNetwork,
    clock: systemClock,
    connect: (rpc = anvil.rpc) => connected(rpc),
    open(name: string, stamp: Stamp): Store {
      const opened = openStore({ url: `file:${databaseOf(name)}`, stamp });
      if (!opened.ok) throw new Error(opened.message);
      return opened.store;
    },
    createToken: (symbol: string) => deployToken(clients, { name: symbol, symbol }),
    forget(name: string) {
      for (const file of [`${name}.db`, `${name}.db-wal`, `${name}.db-shm`])
        rmSync(join(folder, file), { force: true });
    },
    async stop() {
      chain.stop();
      await anvil.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function networkOn(ground: Ground, { choices = {}, checkBooks = true }: Choices) {
  const { chain, clients, contracts, token, tokenNetwork } = ground;
  const bus = createBus((task) => setImmediate(task));
  const running = new Map<string, TestNode>();

  const settings: NodeSettings = {
    version: '0.0.0-test',
    chainId: chain.chainId,
    contracts,
    deployBlock: contracts.deployBlock,
    confirmations: 1n,
    defaultSettleTimeout: 40n,
    defaultRevealTimeout: 10n,
    minRevealTimeout: 1n,
    isProduction: false,
    pathfindingServiceAddress: null,
    routingMode: 'local',
    hasRoutingFallback: true,
    fees: { byToken: new Map(), others: DEFAULT_FEE_TERMS },
    monitoringReward: null,
    releaseFeed: null,
    depositLimits: { participantLimit: 1_000n * TOKENS, networkLimit: 1_000_000n * TOKENS },
    pollIntervalMs: 20,
    ...choices,
  };

  const keyOf = (name: string) => {
    const index = NAMES.indexOf(name) + 1;
    return fromHex(toHex(anvilAccount(index).getHdKey().privateKey ?? new Uint8Array()));
  };
  const known = new Map<string, Signer>();
  function signerOf(name: string): Signer {
    const signer = known.get(name) ?? createSigner(keyOf(name));
    known.set(name, signer);
    return signer;
  }
  const addressOf = (name: string): Address => signerOf(name).address;
  const place = {
    chainId: chain.chainId,
    tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress,
  };
  const signers = new Map(NAMES.map(signerOf).map((signer) => [signer.address, signer]));
  function signerAt(address: Address): Signer {
    const signer = signers.get(address);
    if (signer === undefined) throw new Error(`${address} is nobody here`);
    return signer;
  }

  /** What a node is made of, on its database, a new one or the one that it left. */
  async function makeParts(name: string, { rpc, clock = ground.clock }: Given = {}) {
    const signer = signerOf(name);
    const { chainId, tokenNetworkRegistry } = place;
    const store = ground.open(name, { chainId, tokenNetworkRegistry, ownAddress: signer.address });
    const connection = await ground.connect(rpc);
    const { client } = connection;
    const failures: string[] = [];
    return {
      failures,
      connection,
      store,
      signer,
      recover,
      addressOf: addressOfCompressed,
      client,
      reads: createReads({ client, registry: tokenNetworkRegistry }),
      clock,
      chance: { bytes: (count: number) => randomBytes(count) },
      log: quietLog,
      fault: noFault,
      checkBooks,
      onFatal: (reason: string, error: unknown) => {
        failures.push(`${reason}: ${traceOf(error)}`);
        console.error(name, failures.at(-1));
      },
    };
  }

  async function start(
    name: string,
    given: Given & { transport?: Transport; settings?: NodeChoices; watch?: Watch } = {},
  ): Promise<TestNode> {
    const parts = await makeParts(name, given);
    const { failures, connection } = parts;
    const transport = given.transport ?? bus.connect(parts.signer.address);
    const node = startNode(
      { ...settings, ...given.settings },
      { ...parts, transport, ...given.watch },
      () => {},
    );
    const stop = async () => {
      await node.stop();
      connection.stop();
      running.delete(name);
    };
    const whole = { ...node, name, failures, stop };
    running.set(name, whole);
    await until(() => node.status().status === 'ready', `${name} is ready`);
    return whole;
  }

  async function stop() {
    for (const node of [...running.values()]) await node.stop();
    await ground.stop();
  }

  const tokensAt = (address: Address) =>
    chain.client.readContract({
      address: token,
      abi: customTokenAbi,
      functionName: 'balanceOf',
      args: [address],
    });

  return {
    chain,
    clients,
    contracts,
    token,
    tokenNetwork,
    bus,
    settings,
    start,
    stop,
    signerOf,
    signerAt,
    addressOf,
    parts: makeParts,
    /** What is in a payload for one of the nodes. */
    read: createReader(place, (address) => signers.get(address)),
    /** Seals as the node with this key does. */
    speaker: (signer: Signer) => speaker(signer, place),
    clock: ground.clock,
    createToken: ground.createToken,
    forget: ground.forget,
    tokensOf: (name: string) => tokensAt(addressOf(name)),
    /** What lies in channels, and in what is left of them. */
    tokensInChannels: () => tokensAt(tokenNetwork),
    fund: (name: string, amount: bigint) => mintTokens(clients, token, addressOf(name), amount),
    mine: (blocks: bigint) => anvilCall(chain, 'anvil_mine', `0x${blocks.toString(16)}`),
    /** Keeps the chain moving while something waits for confirmations. */
    whileMining: <T>(work: Promise<T>): Promise<T> =>
      whileMining(() => anvilCall(chain, 'anvil_mine', '0x1'), 50, work),
  };
}

/** The error with everything that caused it. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? `${error.stack}` : `${error.stack} <- ${traceOf(error.cause)}`;
}

/** The value of a result that is expected to be good. */
export function good<T>(
  result: { ok: true; value: T } | { ok: false; code: string; detail?: string },
): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  return result.value;
}

export function balanceOf(view: ChannelView | null): bigint {
  if (view === null) throw new Error('there is no such channel');
  return view.balance;
}
