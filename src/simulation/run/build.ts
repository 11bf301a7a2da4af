/** Puts a run together: the world of the scenario, its checks, its attackers and its faults. */
import { channelActorId, channelIdOf } from '../../../machines/channel/context.ts';
import type { RunningNode } from '../../node/start.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Batch } from '../../store/batch.ts';
import { createWiretap, type Wiretap } from '../byzantine/wiretap.ts';
import type { Violation } from '../invariants/violation.ts';
import { createNetwork } from '../network/network.ts';
import type { RunResult } from '../report/result.ts';
import type { Scenario } from '../scenario/schema.ts';
import { buildNetwork, type NetworkPlan } from '../scenario/topology.ts';
import type { Gateway } from '../services/gateway.ts';
import { servicesPlan } from '../services/services.ts';
import { createFastCrypto } from '../signer/fast-crypto.ts';
import { createRealCrypto } from '../signer/real-crypto.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { createTrace, type Trace } from '../world/trace.ts';
import { type Attackers, createAttackers } from './attackers.ts';
import { reorganisationsOf, weatherFaults } from './chain-faults.ts';
import { createDisks } from './disks.ts';
import { createDisturbances } from './disturbances.ts';
import { createForks } from './forks.ts';
import { createOracles } from './oracles.ts';
import { createOversight, type Oversight } from './oversight.ts';
import { createTally, type Tally } from './tally.ts';
import { createTrouble, type Trouble } from './trouble.ts';
import { createTrust, type Trust } from './trust.ts';
import { createWorld, type World, type WorldPlan } from './world.ts';

/** The time at which every simulated world begins; the value does not matter. */
export const WORLD_BEGINS = Date.UTC(2030, 0, 1);
/** `virtualMs`: since the simulated world began. */
export type RunEvent = { step: number; virtualMs: number; who: string; what: string };

const INTERRUPTIONS: ReadonlySet<string> = new Set(['stop', 'kill', 'pause']);
/** Number of the eavesdropper's key, beyond the keys of all nodes and purses. */
const STRANGER = 1_000_000;
const LATENCY_MS = { least: 5, most: 40 };

export type Run = {
  scenario: Scenario;
  seed: number;
  plan: NetworkPlan;
  scheduler: Scheduler;
  randomness: Randomness;
  trace: Trace;
  world: World;
  tally: Tally;
  oversight: Oversight;
  network: ReturnType<typeof createNetwork>;
  trouble: Trouble;
  attackers: Attackers;
  violations: Violation[];
  /** The number of the block before the scenario's first, and the time of it. */
  firstBlock: number;
  begun: number;
  /** Steps that were done before the present moment. */
  moment: number;
  faultPeriods: RunResult['faults'][number][];
  /** The channels that were opened, by their identifiers on chain. */
  channels: { id: bigint; a: number; b: number }[];
  channelsOf(index: number): Run['channels'];
  /** Blocks of one point of the result's series. */
  bucketBlocks: number;
  /** Number of unfinished payments of running processes; a caller is cut off when the process ends. */
  underWay(): number;
  trust: Trust;
  /** Releases resources of the real world, such as files. */
  end(): void;
};
/** An unfinished payment: the process of the node that was asked for it, and the function that ends it. */
export type UnderWay = { index: number; process: RunningNode; end(code: string | null): void };

type Options = {
  scenario: Scenario;
  seed: number;
  gateway: Gateway;
  /** Called at each point at which a node could die, from the scenario's first block on. */
  onPoint?: (index: number, point: string) => void;
  /** Called with each batch that is written to the disk of a node, in order. */
  onCommit?: (index: number, batch: Batch) => void;
  onEvent?: (event: RunEvent) => void;
};
export function build(options: Options, scheduler: Scheduler, randomness: Randomness) {
  const { scenario, seed, onPoint = () => {}, onEvent, onCommit } = options;
  const plan = buildNetwork(scenario, randomness);
  const trace = createTrace(scheduler.now, ({ at, who, what }) =>
    onEvent?.({ step: scheduler.steps(), virtualMs: at - WORLD_BEGINS, who, what }),
  );
  const network = createNetwork({ scheduler, randomness, latencyMs: LATENCY_MS });
  const violations: Violation[] = [];
  const faultPeriods: RunResult['faults'][number][] = [];
  const indexes = new Map<Address, number>();
  const ends = new Map<string, readonly [number, number]>();
  const wiretaps = new Map<number, Wiretap>();
  let stranger: Wiretap | null = null;
  const channels: Run['channels'] = [];
  const paying = new Set<UnderWay>();
  const disturbances = createDisturbances(() => head());
  const isExcused = (index: number, since: bigint) =>
    isInterrupted || disturbances.since(index, since);
  /** Whether the scenario's steps stop, kill or pause nodes. */
  const isInterrupted = scenario.steps.some(({ do: what }) => INTERRUPTIONS.has(what));
  let firstBlock = 0;
  const head = () => world.chain.head().number;
  const block = () => Number(head()) - firstBlock;
  const bucketBlocks = bucketOf(scenario);
  const tally = createTally(plan.nodes.length, { block, bucketBlocks });
  const trust = createTrust((index) => plan.nodes[index]?.isHonest ?? false);
  const { isTrusted } = trust;
  const takesReal = (what: 'crypto' | 'disk') =>
    randomness.of(`run.${what}`).happens(scenario.run[what].realShare);
  const createCrypto = takesReal('crypto') ? createRealCrypto : createFastCrypto;
  const disks = createDisks(takesReal('disk'), scenario.faults);

  const indexOf = (address: Address) => indexes.get(address) ?? null;
  const oversight = createOversight({
    tally,
    confirmations: scenario.chain.confirmations,
    head,
    secretRegistry: () => world.chain.contracts.secretRegistryAddress,
    secretBlock: (secrethash: Hash) => world.chain.secretBlock(secrethash),
    settleTimeoutOf(channel) {
      const facts = world.chain.channel(world.tokenNetwork, channelIdOf(channel));
      return facts?.state === 'opened' ? facts.settle : null;
    },
    endsOf: (channel) => ends.get(channel) ?? null,
    paysForUse: (index) => plan.nodes[index]?.fees.capFees === false,
    nameOf: (index) => plan.nodes[index]?.name ?? `node-${index}`,
    indexOf,
    addressOf: (index) => world.addressOf(index),
    isTrusted,
    isWhole: trust.isWhole,
    wiretapOf,
    isExcused,
    revealTimeoutOf: (index) => plan.nodes[index]?.revealTimeout ?? 0n,
    isOpenTo: (to, payload) => eavesdropper().sent(to, payload).length > 0,
    hasExcuse: (index) => world.inhabitants[index]?.disk.faults.full ?? false,
    onViolation: (violation) => void violations.push(violation),
    ...(onCommit === undefined ? {} : { onCommit }),
    onPoint(index, point) {
      if (firstBlock > 0) onPoint(index, point);
    },
    onDeath(index) {
      disturbances.strike(index);
      for (const one of paying) if (one.index === index) one.end('node_died');
    },
    onGivingUp: (index) => world.inhabitants[index]?.machine.kill('it cannot go on'),
    onReplaced: (index) => forks.met(index),
  });
  const world = createWorld({
    plan: worldPlan(scenario, plan),
    scheduler,
    randomness,
    trace,
    broker: network,
    disks,
    crypto: createCrypto('the world of a simulation'),
    gateway: options.gateway,
    watcherOf: oversight.watcherOf,
    around: (index, transport): Transport => attackers.around(index, transport),
  });
  const forks = createForks({ world, scheduler, blockMs: scenario.chain.blockTime * 1000 });
  for (const { index, signer } of world.inhabitants) indexes.set(signer.address, index);
  world.chain.onSubmit(oversight.submitted);
  const { confirmations } = scenario.chain;
  oversight.hold(
    createOracles({
      world,
      nodes: plan.nodes,
      confirmations,
      indexOf,
      isTrusted: trust.isWhole,
      isExcused,
      ledger: oversight.ledger,
      counted: oversight.counted,
      totals: () => (plan.nodes.every(({ index }) => trust.isWhole(index)) ? tally.totals() : null),
    }),
  );

  /** A wiretap with a key that no node or purse has. */
  function eavesdropper(): Wiretap {
    stranger ??= wiretapWith(world.crypto.signerOf(STRANGER), 'eavesdropper');
    return stranger;
  }

  /** A wiretap with the keys of this node. */
  function wiretapOf(index: number): Wiretap | null {
    const known = wiretaps.get(index);
    const signer = world.inhabitants[index]?.signer;
    if (known !== undefined || signer === undefined) return known ?? null;
    const wiretap = wiretapWith(signer, `wiretap ${index}`);
    wiretaps.set(index, wiretap);
    return wiretap;
  }

  function wiretapWith(signer: Signer, name: string): Wiretap {
    return createWiretap({
      signer,
      place: world.place,
      addressOf: world.crypto.addressOf,
      now: scheduler.now,
      publicKeyOf(address) {
        const other = indexes.get(address);
        return other === undefined ? null : (world.inhabitants[other]?.signer.publicKey ?? null);
      },
      draw: randomness.of(name),
    });
  }

  const attackers = createAttackers({
    scenario,
    plan,
    world,
    randomness,
    wiretapOf,
    block,
    note: (who, text) => trace.note(who, text),
  });
  network.tap(({ type, parcel, by }) => {
    const { from, to, payload, topic } = parcel;
    if (type === 'sent')
      trace.note(from, topic === null ? `sends ${to}` : `tells ${topic}`, payload);
    else if (type === 'lost') trace.note(from, `loses what was for ${to} by ${by}`);
    if (type === 'sent' && topic === null) attackers.overhear(parcel);
    const sender = indexes.get(from);
    if (type === 'sent' && topic === null && sender !== undefined)
      oversight.sent(sender, to, payload);
  });
  const trouble = createTrouble({
    faults: [...scenario.faults, ...weatherFaults(scenario.chain)],
    reorganisations: reorganisationsOf(scenario.chain, randomness.of('reorganisations')),
    world,
    network: network.faults,
    nodes: plan.nodes,
    randomness,
    trust,
    neighboursOf: (index) =>
      plan.channels.flatMap(({ a, b }) => (a === index ? [b] : b === index ? [a] : [])),
    calmBlock: Number(scenario.run.blocks - scenario.run.calm),
    onFault(name, index) {
      const over = disturbances.begin(name, index);
      const target = index === null ? 'everybody' : (plan.nodes[index]?.name ?? '');
      const fromBlock = block();
      trace.note(target, `fault ${name}`);
      return (hits) => {
        over();
        faultPeriods.push({ name, target, fromBlock, toBlock: block(), hits });
        trace.note(target, `fault ${name} ends`);
      };
    },
  });
  const run: Run = {
    scenario,
    seed,
    plan,
    scheduler,
    randomness,
    trace,
    world,
    tally,
    oversight,
    network,
    trouble,
    attackers,
    violations,
    firstBlock,
    begun: 0,
    moment: 0,
    faultPeriods,
    channels,
    channelsOf: (index) => channels.filter(({ a, b }) => a === index || b === index),
    bucketBlocks,
    underWay: () =>
      [...paying].filter(
        ({ index, process }) => world.inhabitants[index]?.machine.node() === process,
      ).length,
    trust,
    end() {
      world.services.end();
      disks.end();
    },
  };
  return Object.assign(run, {
    /** The scenario's blocks are counted from here on. */
    begin() {
      firstBlock = Number(head());
      run.firstBlock = firstBlock;
      run.begun = scheduler.now();
    },
    /** Notes the channels that were opened since the last call. */
    noteChannels() {
      const newest = world.chain.channelCount(world.tokenNetwork);
      for (let id = BigInt(channels.length) + 1n; id <= newest; id++) {
        const facts = world.chain.channel(world.tokenNetwork, id);
        const sides = facts?.sides ?? [];
        const actor = channelActorId(world.tokenNetwork, id);
        const [a = -1, b = -1] = sides.map(({ address }) => indexes.get(address) ?? -1);
        channels.push({ id, a, b });
        ends.set(actor, [a, b]);
      }
    },
    paying,
  });
}
export type Built = ReturnType<typeof build>;

function worldPlan({ chain, network, services }: Scenario, plan: NetworkPlan): WorldPlan {
  const blockMs = chain.blockTime * 1000;
  return {
    machines: plan.nodes,
    channels: plan.channels,
    token: network.token,
    sharesNetwork: services.pathFinding.kind === 'shared',
    confirmations: chain.confirmations,
    startBlock: chain.startBlock,
    blockMs,
    jitter: chain.jitter,
    gasLimit: chain.gasLimit,
    routingMode: services.pathFinding.kind === 'local' ? 'local' : 'pfs',
    services: servicesPlan(services),
    // Periodic work is done a few times per block: more would change nothing, but take time.
    tickMs: plan.nodes.length > 50 ? blockMs : Math.max(100, Math.round(blockMs / 12)),
  };
}

/** Blocks of one point of the series: about a hundred points, whatever the length of the run. */
export function bucketOf({ run }: Scenario): number {
  return Math.max(1, Math.ceil(Number(run.blocks) / 100));
}
