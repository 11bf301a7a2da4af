import { smaller } from '../../basics/amount.ts';
import type { Address, Hash, Hex } from '../../basics/hex.ts';
import type { Transport } from '../../partner/transport.ts';
import type { SealPlace } from '../../protocol/wire/envelope.ts';
import { recordKeys } from '../../replica/record.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Chain } from '../chain/chain.ts';
import { connectEndpoint } from '../chain/client.ts';
import { createEndpoint, type Endpoint } from '../chain/endpoint.ts';
import { createSimulatedChain, type TokenOptions } from '../chain/genesis.ts';
import { createRpc } from '../chain/rpc.ts';
import { createSharedBatches } from '../chain/shared-batches.ts';
import type { Disk } from '../disk/disk.ts';
import { createWriteBook } from '../disk/write-book.ts';
import type { Network } from '../network/network.ts';
import { createSharedReader } from '../network/shared-reader.ts';
import { createMachine, type Machine } from '../node/machine.ts';
import type { MachineOptions, MachineWatcher } from '../node/machine-options.ts';
import type { Abroad } from '../parts/abroad.ts';
import { overheard } from '../replica/sendings.ts';
import { createSite, type Site } from '../replica/site.ts';
import type { Junk } from '../scenario/schema/moves.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { NetworkPlan, NodePlan } from '../scenario/topology.ts';
import type { Gateway } from '../services/gateway.ts';
import { createServices } from '../services/services.ts';
import type { SimulatedKeys } from '../signer/fast-crypto.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Trace } from '../world/trace.ts';
import { mineInTime } from './block-times.ts';
import { type Claims, createClaims } from './claims.ts';
import type { Disks } from './disks.ts';
import { junkOf, junkOn } from './junk.ts';
import { nodeSettings, WEALTH } from './node-settings.ts';
import { createSharedRoutes } from './shared-routes.ts';

type Broker = {
  connect: Network['connect'];
  disconnect(processId: string): void;
};
export type Inhabitant = {
  index: number;
  machine: Machine;
  signer: Signer;
  disk: Disk;
  claims: Claims;
  endpoint: Endpoint;
  /** Its two machines and their stream; null: it is not replicated. */
  site: Site | null;
};
export type World = ReturnType<typeof createWorld>;

/** The parts that each machine has for itself, even if another has the same key. */
type OwnParts = Pick<MachineOptions, 'name' | 'disk' | 'join' | 'watcher' | 'claim'>;
type SiteParts = { takeoverAfterMs: number | null } & Pick<MachineOptions, 'join' | 'watcher'> & {
    endpoint: Endpoint;
  };
type Options = {
  scenario: Scenario;
  plan: NetworkPlan;
  scheduler: Scheduler;
  randomness: Randomness;
  trace: Trace;
  broker: Broker;
  crypto: SimulatedKeys;
  gateway: Gateway;
  disks: Pick<Disks, 'make' | 'mayBeLate'>;
  /** The watcher of the node with this index. */
  watcherOf(index: number): MachineWatcher;
  /** The part of the world that runs here; null: all of it. */
  abroad: Abroad | null;
  /** Whether the node runs here. */
  isHere(index: number): boolean;
  /** The transport that the process of this node gets. */
  around(index: number, transport: Transport): Transport;
};

/** Not the id of a development chain: the rules for real chains apply. */
const CHAIN_ID = 7_331;
/** Numbers of keys beyond those of the nodes, for purses of attackers. */
const FIRST_PURSE = 100_000;
const SHARED_COPY = 99_999;
const PURSE_WEI = 10n ** 24n;
const JUNK_TOKENS: Record<Junk, TokenOptions> = {
  worthless: { symbol: 'NIL' },
  // A settlement takes 850,000 gas then: less than a node lets one take.
  burning: { symbol: 'BURN', burns: 790_000 },
};
/** Blocks until a machine of a replicated node starts its process again. */
const RESTART_BLOCKS = 2.5;

export function createWorld(options: Options) {
  const { scenario, plan, scheduler, randomness, trace, broker, crypto, gateway } = options;
  const { confirmations, gasLimit, jitter, startBlock } = scenario.chain;
  const blockMs = scenario.chain.blockTime * 1000;
  // A few times per block, in a network of any size: what was lost is sent again at a tick, and so arrives as soon.
  const tickMs = Math.max(100, Math.round(blockMs / 12));
  const settleTimeoutMin = shortestTimeout(scenario, plan);
  const needed = junkOf(plan.nodes);
  const signers = plan.nodes.map((_, index) => crypto.signerOf(index));
  const accounts = signers.map(({ address }, index) => {
    return { address, wei: plan.nodes[index]?.gasMoney ?? 0n };
  });
  const chain = createSimulatedChain({
    chainId: CHAIN_ID,
    time: Math.floor(scheduler.now() / 1000),
    accounts,
    tokens: [scenario.network.token, ...needed.map(({ kind }) => JUNK_TOKENS[kind])],
    recover: crypto.recover,
    gasLimit,
    settleTimeoutMin,
    startBlock,
  });
  const [network, ...others] = chain.tokens;
  const junk = junkOn(needed, others);
  if (network === undefined) throw new Error('simulation: the token has no network');
  const { address: tokenAddress, network: tokenNetwork } = network;
  if (tokenNetwork === null) throw new Error('simulation: the token is not registered');
  const rpc = createRpc(handingOver(chain, options.abroad));
  const sound = createEndpoint({ chain, rpc, scheduler, draw: randomness.of('sound endpoint') });
  const soundClient = connectEndpoint(sound, CHAIN_ID);
  const batches = createSharedBatches(soundClient);
  const broadcasts = createSharedReader();
  const place: SealPlace = {
    chainId: BigInt(CHAIN_ID),
    tokenNetworkRegistry: chain.contracts.tokenNetworkRegistryAddress,
  };
  const stampOf = (ownAddress: Address) => ({ ...place, ownAddress });

  const searches = scenario.services.pathFinding.kind;
  const shared = searches === 'shared' ? createShared() : null;
  const services = createServices(scenario.services, {
    chain,
    rpc,
    scheduler,
    randomness,
    trace,
    crypto,
    gateway,
    confirmations,
    blockMs,
    tickMs,
    connect: broker.connect,
    nodes: signers.map(({ address }) => address),
    shortestTimeout: settleTimeoutMin,
  });
  const inhabitants = plan.nodes.map(({ name }, index): Inhabitant => {
    const signer = signerAt(index);
    const disk = options.disks.make(name, randomness.of(`${name}/disk`));
    const claims = createClaims({ disk, stamp: stampOf(signer.address), now: scheduler.now });
    const draw = randomness.of(`${name}/endpoint`);
    const endpoint = createEndpoint({ chain, rpc, scheduler, draw });
    const { standby } = planAt(index);
    const fence = standby === null ? null : name;
    const join: MachineOptions['join'] = (address, processId) =>
      options.around(index, broker.connect(address, processId, fence));
    const watcher = options.watcherOf(index);
    const site = standby === null ? null : siteOf(index, { ...standby, endpoint, join, watcher });
    const machine =
      site?.machine ??
      machineOf(index, endpoint, {
        name,
        disk: { open: claims.open, crash: disk.crash, writes: disk.writes },
        join,
        watcher,
      });
    return { index, machine, signer, disk, claims, endpoint, site };
  });

  function siteOf(index: number, { takeoverAfterMs, endpoint, join, watcher }: SiteParts): Site {
    const { name } = planAt(index);
    const { address, publicKey } = signerAt(index);
    const book = createWriteBook();
    return createSite({
      name,
      stamp: stampOf(address),
      keys: recordKeys(publicKey, address),
      ...{ scheduler, trace, join },
      draw: randomness.of(`${name}/stream`),
      watcher,
      takeoverAfterMs,
      restartMs: RESTART_BLOCKS * blockMs,
      makeDisk: (own) => options.disks.make(own, randomness.of(`${own}/disk`), book),
      makeMachine: (own, onSend) => machineOf(index, overheard(endpoint, onSend), own),
    });
  }

  function machineOf(index: number, endpoint: Endpoint, own: OwnParts): Machine {
    const signer = signerAt(index);
    const { name } = own;
    // Who searches routes alone keeps a copy of the network, of the logs of all.
    const shareOf = searches === 'local' ? null : signer.address;
    return createMachine({
      signer,
      scheduler,
      trace,
      tickMs,
      core: planAt(index).core,
      power: options.disks.mayBeLate ? randomness.of(`${name}/power`) : null,
      crypto,
      settingsFor: (asker) =>
        nodeSettings(planAt(index), {
          scenario,
          chain,
          chainId: CHAIN_ID,
          reward: services.reward,
          pathFinding: services.pathFindingUrl(index, asker),
        }),
      registry: chain.contracts.tokenNetworkRegistryAddress,
      draw: randomness.of(`${name}/chance`),
      connect: (request) => connectEndpoint({ ...endpoint, request }, CHAIN_ID),
      request: endpoint.request,
      readerOf: (own) => batches.readerOf({ own, mayShare: endpoint.isSound, shareOf }),
      broadcasts,
      cutOff: broker.disconnect,
      ...(shared === null ? {} : { routes: shared.finderOf(signer.address) }),
      ...own,
    });
  }

  /**
   * Another machine with the key of this one and an empty disk, which is not watched. It ends together with the
   * first one: alone it would be the node with nothing on its disk, for which no rule could hold.
   */
  function second(index: number): Machine {
    const name = `${planAt(index).name} again`;
    const { address } = signerAt(index);
    const draw = randomness.of(`${name}/endpoint`);
    const disk = options.disks.make(name, randomness.of(`${name}/disk`));
    const machine = machineOf(index, createEndpoint({ chain, rpc, scheduler, draw }), {
      name,
      disk: { open: () => disk.open(stampOf(address)), crash: disk.crash, writes: disk.writes },
      join: broker.connect,
      watcher: {
        onCommit() {},
        onDeath() {},
        onPoint() {
          if (inhabitants[index]?.machine.node() === null) machine.kill('the first one has ended');
        },
        onFatal: (reason) => machine.kill(reason),
        onViolation() {},
      },
    });
    return machine;
  }

  function createShared() {
    const { address } = crypto.signerOf(SHARED_COPY);
    return createSharedRoutes({
      client: soundClient,
      chainId: BigInt(CHAIN_ID),
      tokenNetwork: tokenNetwork,
      confirmations,
      recover: crypto.recover,
      now: scheduler.now,
      transport: broker.connect(address, 'shared copy'),
    });
  }

  function signerAt(index: number): Signer {
    const signer = signers[index];
    if (signer === undefined) throw new Error(`simulation: there is no node ${index}`);
    return signer;
  }

  function planAt(index: number): NodePlan {
    const found = plan.nodes[index];
    if (found === undefined) throw new Error(`simulation: there is no node ${index}`);
    return found;
  }

  /** Fills wallets and opens channels, in as many blocks as it takes, before any node runs. */
  function setUp() {
    for (const { address } of signers) chain.mint(tokenAddress, address, WEALTH);
    for (const { token: of, holders } of junk.holdings)
      for (const index of holders) chain.mint(of, signerAt(index).address, WEALTH);
    const depositors = scenario.steps.flatMap((step) =>
      step.do === 'fill_user_deposit' ? [step.node] : [],
    );
    for (const index of new Set(depositors))
      chain.mint(chain.serviceToken, signerAt(index).address, WEALTH);
    services.setUp();
    mine();
    const openings = plan.channels.map(({ a, b, ...terms }) => {
      return { pair: [signerAt(a).address, signerAt(b).address] as const, ...terms };
    });
    chain.openChannels(tokenNetwork, openings);
    mine();
    chain.settle(chain.head().number);
    for (let left = confirmations + 1n; left > 0n; left--) mine();
  }

  function mine() {
    const { hash, number } = chain.mine(Math.floor(scheduler.now() / 1000));
    trace.note('chain', `block ${number} ${hash}`);
    shared?.mined(number);
  }

  return {
    chain,
    crypto,
    place,
    ...{ inhabitants, second },
    setUp,
    gateway,
    services,
    token: tokenAddress,
    tokenNetwork,
    junk: junk.of,
    chainId: CHAIN_ID,
    addressOf: (index: number): Address => signerAt(index).address,
    /** A key that no node has, with money for gas. */
    purse(index: number): Signer {
      const signer = crypto.signerOf(FIRST_PURSE + index);
      chain.give(signer.address, PURSE_WEI);
      return signer;
    },
    /** Starts all nodes, and mines as time passes. */
    start() {
      services.start();
      for (const { index, machine } of inhabitants) if (options.isHere(index)) machine.start();
      return mineInTime({ scheduler, blockMs, jitter, draw: randomness.of('block times'), mine });
    },
  };
}

/** The chain of a part: all copies of it get a transaction at one time, this one included. */
function handingOver<C extends Pick<Chain, 'judge' | 'submit'>>(
  chain: C,
  abroad: Abroad | null,
): C {
  if (abroad === null) return chain;
  const handOver = (raw: Hex): Hash => {
    const hash = chain.judge(raw);
    abroad.submit(raw);
    return hash;
  };
  return { ...chain, submit: handOver };
}

/**
 * The least settle timeout that the contract accepts. Monitoring services compute with it, so it is the shortest of
 * all channels.
 */
function shortestTimeout({ services }: Scenario, plan: NetworkPlan): bigint {
  if (services.monitoring.count === 0) return 2n;
  const all = [...plan.nodes, ...plan.channels].map(({ settleTimeout }) => settleTimeout);
  return all.reduce(smaller);
}
