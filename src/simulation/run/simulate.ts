/** One run: a scenario and a seed in, all that is known of it out. The same in, the same out. */
import { channelActorId } from '../../../machines/channel-context.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Address, Hash } from '../../protocol/hex.ts';
import { createWiretap, type Wiretap } from '../byzantine/wiretap.ts';
import { Violation } from '../invariants/violation.ts';
import { createNetwork } from '../network/network.ts';
import type { RunResult } from '../report/result.ts';
import type { Scenario } from '../scenario/schema.ts';
import { buildNetwork, type NetworkPlan } from '../scenario/topology.ts';
import { createTraffic, type Payment } from '../scenario/traffic.ts';
import { installGlobals } from '../world/globals.ts';
import { letTimePass } from '../world/loop.ts';
import { createRandomness, type Randomness } from '../world/randomness.ts';
import { createScheduler, type Scheduler } from '../world/scheduler.ts';
import { createTrace, type Trace } from '../world/trace.ts';
import { type Attackers, createAttackers } from './attackers.ts';
import { createOversight, type Oversight } from './oversight.ts';
import { resultOf } from './result-of.ts';
import { createSteps } from './steps.ts';
import { createTally, type Tally } from './tally.ts';
import { createTrouble, type Trouble } from './trouble.ts';
import { createWorld, type World, type WorldPlan } from './world.ts';

export type SimulateOptions = {
  scenario: Scenario;
  seed: number;
  /** Told after each block of the run; false ends it there. */
  onBlock?: (progress: Progress) => boolean;
  /** Of the program, for the report. */
  commit?: string | null;
};
export type Progress = { block: number; blocks: number; payments: number; steps: number };

/** When the simulated world begins: any moment, the same for all runs. */
const BEGIN = Date.UTC(2030, 0, 1);
/** Blocks in which all nodes must have caught up. */
const PATIENCE = 100;
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
  /** Blocks of the chain before the scenario's first, and when that was. */
  firstBlock: number;
  begun: number;
  faultPeriods: RunResult['faults'][number][];
  /** The channels that were set up, by their numbers on chain. */
  channels: { id: bigint; a: number; b: number }[];
  channelsOf(index: number): readonly bigint[];
  /** Payments that have not ended, of nodes that live. */
  underWay(): number;
  /** Held against all invariants. */
  isTrusted(index: number): boolean;
};
/** A payment that has not ended: whose it is, and what ends it. */
type UnderWay = { index: number; end(code: string | null): void };

/** Runs the scenario; resolves with its result, also when an invariant was violated or it was stopped. */
export async function simulate(options: SimulateOptions): Promise<RunResult> {
  const scheduler = createScheduler(BEGIN);
  const randomness = createRandomness(options.seed);
  const restore = installGlobals({
    scheduler,
    draw: randomness.of('libraries'),
    fetch: () => Promise.reject(new TypeError('there is no such server')),
  });
  try {
    const run = build(options, scheduler, randomness);
    const isStopped = await play(run, options.onBlock ?? (() => true));
    return await resultOf(run, { isStopped, commit: options.commit ?? null });
  } finally {
    restore();
  }
}

function build({ scenario, seed }: SimulateOptions, scheduler: Scheduler, randomness: Randomness) {
  const plan = buildNetwork(scenario, randomness);
  const trace = createTrace(scheduler.now);
  const network = createNetwork({ scheduler, randomness, latencyMs: LATENCY_MS });
  const violations: Violation[] = [];
  const faultPeriods: RunResult['faults'][number][] = [];
  const indexes = new Map<Address, number>();
  const ends = new Map<string, readonly [number, number]>();
  const wiretaps = new Map<number, Wiretap>();
  const channels: Run['channels'] = [];
  const paying = new Set<UnderWay>();
  let firstBlock = 0;
  const head = () => world.chain.head().number;
  const block = () => Number(head()) - firstBlock;
  const tally = createTally(plan.nodes.length, { block, bucketBlocks: bucketOf(scenario) });

  const oversight = createOversight({
    tally,
    confirmations: scenario.chain.confirmations,
    head,
    secretBlock: (secrethash: Hash) => world.chain.secretBlock(secrethash),
    endsOf: (channel) => ends.get(channel) ?? null,
    nameOf: (index) => plan.nodes[index]?.name ?? `node-${index}`,
    indexOf: (address) => indexes.get(address) ?? null,
    isTrusted: (index) => plan.nodes[index]?.isHonest ?? false,
    wiretapOf,
    hasExcuse: (index) => world.inhabitants[index]?.disk.faults.full ?? false,
    onViolation: (violation) => void violations.push(violation),
    onDeath(index) {
      for (const one of paying) if (one.index === index) one.end('node_died');
    },
    onGivingUp: (index) => world.inhabitants[index]?.machine.kill('it cannot go on'),
  });
  const world = createWorld({
    plan: worldPlan(scenario, plan),
    ...{ scheduler, randomness, trace, broker: network },
    watcherOf: oversight.watcherOf,
    around: (index, transport): Transport => attackers.around(index, transport),
  });
  for (const { index, signer } of world.inhabitants) indexes.set(signer.address, index);

  /** With the keys of this machine. */
  function wiretapOf(index: number): Wiretap | null {
    const known = wiretaps.get(index);
    const signer = world.inhabitants[index]?.signer;
    if (known !== undefined || signer === undefined) return known ?? null;
    const wiretap = createWiretap({
      ...{ signer, place: world.place, addressOf: world.crypto.addressOf, now: scheduler.now },
      publicKeyOf(address) {
        const other = indexes.get(address);
        return other === undefined ? null : (world.inhabitants[other]?.signer.publicKey ?? null);
      },
      draw: randomness.of(`wiretap ${index}`),
    });
    wiretaps.set(index, wiretap);
    return wiretap;
  }

  const attackers = createAttackers({
    ...{ scenario, plan, world, randomness, wiretapOf, block },
    note: (who, text) => trace.note(who, text),
  });
  network.tap(({ type, parcel, by }) => {
    const { from, to, payload, topic } = parcel;
    if (type === 'sent')
      trace.note(from, topic === null ? `sends ${to}` : `tells ${topic}`, payload);
    else if (type === 'lost') trace.note(from, `loses what was for ${to} by ${by}`);
    const sender = indexes.get(from);
    if (type === 'sent' && topic === null && sender !== undefined)
      oversight.sent(sender, to, payload);
  });
  const trouble = createTrouble({
    ...{ faults: scenario.faults, world, network: network.faults, nodes: plan.nodes, randomness },
    neighboursOf: (index) =>
      plan.channels.flatMap(({ a, b }) => (a === index ? [b] : b === index ? [a] : [])),
    calmBlock: Number(scenario.run.blocks - scenario.run.calm),
    onFault(name, index) {
      const target = index === null ? 'everybody' : (plan.nodes[index]?.name ?? '');
      const fromBlock = block();
      trace.note(target, `fault ${name}`);
      return (hits) => {
        faultPeriods.push({ name, target, fromBlock, toBlock: block(), hits });
        trace.note(target, `fault ${name} ends`);
      };
    },
  });
  const run: Run = {
    ...{ scenario, seed, plan, scheduler, randomness, trace, world, tally, oversight, network },
    ...{ trouble, attackers, violations, firstBlock, begun: 0, faultPeriods, channels },
    channelsOf: (index) =>
      channels.filter(({ a, b }) => a === index || b === index).map(({ id }) => id),
    underWay: () => paying.size,
    isTrusted: (index) => plan.nodes[index]?.isHonest ?? false,
  };
  return Object.assign(run, {
    /** The scenario counts from here on. */
    begin() {
      firstBlock = Number(head());
      run.firstBlock = firstBlock;
      run.begun = scheduler.now();
    },
    /** Channels that were opened since the last look. */
    noteChannels() {
      const newest = world.chain.channelCount(world.tokenNetwork);
      for (let id = BigInt(channels.length) + 1n; id <= newest; id++) {
        const sides = world.chain.channel(world.tokenNetwork, id)?.sides ?? [];
        const [a = -1, b = -1] = sides.map(({ address }) => indexes.get(address) ?? -1);
        channels.push({ id, a, b });
        ends.set(channelActorId(world.tokenNetwork, id), [a, b]);
      }
    },
    paying,
  });
}
type Built = ReturnType<typeof build>;

/** True: somebody stopped it before its end. */
async function play(run: Built, onBlock: (progress: Progress) => boolean): Promise<boolean> {
  const { world, scheduler, scenario, violations, tally } = run;
  world.setUp();
  run.noteChannels();
  world.start();
  const blockMs = scenario.chain.blockTime * 1000;
  for (let left = PATIENCE; !isReady(run) && left > 0; left--)
    await letTimePass(scheduler, scheduler.now() + blockMs);
  if (!isReady(run)) violations.push(new Violation(0, null, 'the nodes did not become ready'));
  run.begin();
  const traffic = createTraffic(scenario, run.plan.nodes, run.randomness);
  const begun = scheduler.now();
  const next = () => {
    const payment = traffic.next();
    if (payment === null) return;
    const due = begun + Number(payment.atBlock) * blockMs + payment.offsetMs;
    scheduler.after(due - scheduler.now(), () => {
      pay(run, payment);
      next();
    });
  };
  next();
  const steps = createSteps({
    ...{ steps: scenario.steps, world, nodes: run.plan.nodes, randomness: run.randomness },
    block: () => Number(world.chain.head().number) - run.firstBlock,
    pay: ({ node, ...step }, onEnd) => pay(run, { ...step, from: node }, onEnd),
    note: run.trace.note,
    onViolation: (violation) => void violations.push(violation),
  });
  const blocks = Number(scenario.run.blocks);
  const calmBlock = blocks - Number(scenario.run.calm);
  for (let block = 0; block < blocks && violations.length === 0; block++) {
    steps.block(block);
    if (block === calmBlock) {
      run.trouble.end();
      run.attackers.end();
    } else if (block < calmBlock) {
      run.trouble.block(block);
      run.attackers.block(block);
    }
    await letTimePass(scheduler, begun + (block + 1) * blockMs, () => violations.length > 0);
    run.noteChannels();
    const { gasUsed, receipts } = world.chain.head();
    tally.mined(receipts.length, gasUsed, run.oversight.ledger.pending());
    const { started } = tally.results();
    if (!onBlock({ block, blocks, payments: started, steps: scheduler.steps() })) return true;
  }
  return false;
}

function isReady({ world }: Run): boolean {
  return world.inhabitants.every(({ machine }) => machine.node()?.status().status === 'ready');
}

type Order = Pick<Payment, 'from' | 'to' | 'amount' | 'lockTimeout'>;

/** Asks the node for it as its owner would; a node that is down is asked in vain. */
function pay(
  run: Built,
  { from, to, amount, lockTimeout }: Order,
  onEnd: (code: string | null) => void = () => {},
) {
  const { world, tally, scheduler } = run;
  const node = world.inhabitants[from]?.machine.node();
  const started = tally.begin(scheduler.now());
  if (!node) return tally.end(started, 'node_down');
  const underWay: UnderWay = {
    index: from,
    end(code) {
      if (!run.paying.delete(underWay)) return;
      run.trace.note(
        run.plan.nodes[from]?.name ?? '',
        `payment of ${amount}: ${code ?? 'arrived'}`,
      );
      tally.end(started, code);
      onEnd(code);
    },
  };
  run.paying.add(underWay);
  const target = world.addressOf(to);
  const request = { token: world.token, target, amount, lockTimeout };
  const open = { paymentId: null, secret: null, secrethash: null, routes: null };
  node.pay({ ...request, ...open }).then(
    (result) => underWay.end(result.ok ? null : result.code),
    (error) => underWay.end(String(error)),
  );
}

function worldPlan({ chain, network, services }: Scenario, plan: NetworkPlan): WorldPlan {
  const blockMs = chain.blockTime * 1000;
  return {
    machines: plan.nodes,
    channels: plan.channels,
    token: network.token,
    ...{ confirmations: chain.confirmations, blockMs, gasLimit: chain.gasLimit },
    routingMode: services.pathFinding.kind === 'none' ? 'pfs' : 'local',
    // What a node does by the clock it does a few times a block: more of it changes nothing but the time it takes.
    tickMs: plan.nodes.length > 50 ? blockMs : Math.max(100, blockMs / 12),
  };
}

/** About a hundred points, whatever the length. */
function bucketOf({ run }: Scenario): number {
  return Math.max(1, Math.ceil(Number(run.blocks) / 100));
}
