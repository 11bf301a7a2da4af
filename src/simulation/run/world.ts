import type { Address } from '../../basics/hex.ts';
import type { Transport } from '../../partner/transport.ts';
import type { SealPlace } from '../../protocol/wire/envelope.ts';
import { recordKeys } from '../../replica/record.ts';
import type { Signer } from '../../signer/signer.ts';
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
import { overheard } from '../replica/sendings.ts';
import { createSite, type Site } from '../replica/site.ts';
import type { Junk } from '../scenario/schema/moves.ts';
import type { Asker, Gateway } from '../services/gateway.ts';
import { pathFindingHost } from '../services/path-finding.ts';
import { createServices } from '../services/services.ts';
import type { SimulatedKeys } from '../signer/fast-crypto.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Trace } from '../world/trace.ts';
import { mineInTime } from './block-times.ts';
import { type Claims, createClaims } from './claims.ts';
import type { Disks } from './disks.ts';
import { nodeSettings, WEALTH } from './node-settings.ts';
import { createSharedRoutes } from './shared-routes.ts';
import { junkOn, type MachinePlan, shortestTimeout, type WorldPlan } from './world-plan.ts';

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
  plan: WorldPlan;
  scheduler: Scheduler;
  randomness: Randomness;
  trace: Trace;
  broker: Broker;
  crypto: SimulatedKeys;
  gateway: Gateway;
  disks: Pick<Disks, 'make' | 'mayBeLate'>;
  /** The watcher of the node with this index. */
  watcherOf(index: number): MachineWatcher;
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
  const { plan, scheduler, randomness, trace, broker, crypto, gateway } = options;
  const signers = plan.machines.map((_, index) => crypto.signerOf(index));
  const accounts = signers.map(({ address }, index) => {
    return { address, wei: plan.machines[index]?.gasMoney ?? 0n };
  });
  const { token } = plan;
  const chain = createSimulatedChain({
    chainId: CHAIN_ID,
    time: Math.floor(scheduler.now() / 1000),
    accounts,
    tokens: [token, ...plan.junk.map(({ kind }) => JUNK_TOKENS[kind])],
    recover: crypto.recover,
    gasLimit: plan.gasLimit,
    settleTimeoutMin: shortestTimeout(plan),
    startBlock: plan.startBlock,
  });
  const [network, ...others] = chain.tokens;
  const junk = junkOn(plan, others);
  if (network === undefined) throw new Error('simulation: the token has no network');
  const { address: tokenAddress, network: tokenNetwork } = network;
  if (tokenNetwork === null) throw new Error('simulation: the token is not registered');
  const rpc = createRpc(chain);
  const sound = createEndpoint({ chain, rpc, scheduler, draw: randomness.of('sound endpoint') });
  const soundClient = connectEndpoint(sound, CHAIN_ID);
  const batches = createSharedBatches(soundClient);
  const broadcasts = createSharedReader();
  const stampOf = (ownAddress: Address) => ({
    chainId: BigInt(CHAIN_ID),
    tokenNetworkRegistry: chain.contracts.tokenNetworkRegistryAddress,
    ownAddress,
  });
  const place: SealPlace = {
    chainId: BigInt(CHAIN_ID),
    tokenNetworkRegistry: chain.contracts.tokenNetworkRegistryAddress,
  };

  const shared = plan.sharesNetwork ? createShared() : null;
  const services = createServices(plan.services, {
    chain,
    rpc,
    scheduler,
    randomness,
    trace,
    crypto,
    gateway,
    confirmations: plan.confirmations,
    blockMs: plan.blockMs,
    tickMs: plan.tickMs,
    connect: broker.connect,
    nodes: signers.map(({ address }) => address),
    shortestTimeout: shortestTimeout(plan),
  });
  const inhabitants = plan.machines.map(({ name }, index): Inhabitant => {
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
      scheduler,
      trace,
      draw: randomness.of(`${name}/stream`),
      watcher,
      takeoverAfterMs,
      restartMs: RESTART_BLOCKS * plan.blockMs,
      makeDisk: (own) => options.disks.make(own, randomness.of(`${own}/disk`), book),
      makeMachine: (own, onSend) => machineOf(index, overheard(endpoint, onSend), { ...own, join }),
    });
  }

  function machineOf(index: number, endpoint: Endpoint, own: OwnParts): Machine {
    const signer = signerAt(index);
    const { name } = own;
    // Who searches routes alone keeps a copy of the network, of the logs of all.
    const shareOf = plan.routingMode === 'local' ? null : signer.address;
    return createMachine({
      signer,
      scheduler,
      trace,
      tickMs: plan.tickMs,
      core: planAt(index).core,
      power: options.disks.mayBeLate ? randomness.of(`${name}/power`) : null,
      crypto,
      settingsFor: (asker) =>
        nodeSettings(planAt(index), {
          plan,
          chain,
          chainId: CHAIN_ID,
          reward: services.reward,
          pathFinding: pathFindingUrl(index, asker),
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
      tokenNetwork: tokenNetwork ?? tokenAddress,
      confirmations: plan.confirmations,
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

  function planAt(index: number): MachinePlan {
    const found = plan.machines[index];
    if (found === undefined) throw new Error(`simulation: there is no node ${index}`);
    return found;
  }

  /** The services are shared out among the nodes. */
  function pathFindingUrl(index: number, asker: Asker): string | null {
    const { count } = plan.services.pathFinding;
    return count === 0 ? null : gateway.urlFor(pathFindingHost(index % count), asker);
  }

  /** Fills wallets and opens channels, in as many blocks as it takes, before any node runs. */
  function setUp() {
    for (const { address } of signers) chain.mint(tokenAddress, address, WEALTH);
    for (const { token: of, holders } of junk.holdings)
      for (const index of holders) chain.mint(of, signerAt(index).address, WEALTH);
    for (const index of new Set(plan.serviceHolders))
      chain.mint(chain.serviceToken, signerAt(index).address, WEALTH);
    services.setUp();
    mine();
    const openings = plan.channels.map(({ a, b, ...terms }) => {
      return { pair: [signerAt(a).address, signerAt(b).address] as const, ...terms };
    });
    chain.openChannels(tokenNetwork ?? tokenAddress, openings);
    mine();
    for (let left = plan.confirmations + 1n; left > 0n; left--) mine();
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
    inhabitants,
    second,
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
      for (const { machine } of inhabitants) machine.start();
      const { blockMs, jitter } = plan;
      return mineInTime({ scheduler, blockMs, jitter, draw: randomness.of('block times'), mine });
    },
  };
}
