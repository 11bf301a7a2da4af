/** Puts a run together: the world of the scenario, its checks, its attackers and its faults. */

import { channelActorId } from '../../../machines/base/actor-ids.ts';
import type { Address } from '../../basics/hex.ts';
import type { PaymentResult } from '../../node/api/api.ts';
import type { RunningNode } from '../../node/start.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Result } from '../../protocol/codes.ts';
import type { Batch } from '../../store/base/batch.ts';
import { createCallers } from '../invariants/records/callers.ts';
import type { Violation } from '../invariants/violation.ts';
import type { Line } from '../network/lines.ts';
import { createNetwork, type Network } from '../network/network.ts';
import { createPart } from '../parts/join.ts';
import type { Seat } from '../parts/meeting.ts';
import type { PaymentRecord } from '../report/payment-records.ts';
import type { RunResult } from '../report/results/result.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import { select } from '../scenario/schema/selection.ts';
import { buildNetwork, type NodePlan } from '../scenario/topology.ts';
import type { Gateway } from '../services/gateway.ts';
import { createFastCrypto } from '../signer/fast-crypto.ts';
import { createRealCrypto } from '../signer/real-crypto.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { createTrace, type Trace } from '../world/trace.ts';
import { type Attackers, createAttackers } from './attackers.ts';
import { createDisks, type Disks } from './disks.ts';
import { reorganisationsOf, weatherFaults } from './faults/chain-faults.ts';
import { createDisturbances } from './faults/disturbances.ts';
import { createForks } from './faults/forks.ts';
import { createQuiet } from './faults/quiet.ts';
import { createTrouble } from './faults/trouble.ts';
import { createTrust } from './faults/trust.ts';
import { callName } from './figures/call-names.ts';
import { createPaymentNotes } from './figures/payment-notes.ts';
import { createTally } from './figures/tally.ts';
import type { GasRules } from './rules/gas-rules.ts';
import { createOversight, type Oversight } from './rules/oversight.ts';
import { createRules } from './rules/rules.ts';
import { createWiretaps } from './rules/wiretaps.ts';
import { createWorld, type World } from './world.ts';

/** The time at which every simulated world begins; the value does not matter. */
export const WORLD_BEGINS = Date.UTC(2030, 0, 1);
const INTERRUPTIONS: ReadonlySet<string> = new Set(['stop', 'kill', 'pause']);
const LATENCY_MS = { least: 5, most: 40 };
/**
 * What goes from one part of the world to another takes no less: as long do the parts run without hearing of each other, and
 * the more each does meanwhile, the less they wait for each other.
 */
const WINDOW_MS = 15;

/** `virtualMs`: since the simulated world began. */
export type RunEvent = { step: number; virtualMs: number; who: string; what: string };
/**
 * An unfinished payment: the process of the node that was asked for it, and the function that ends it. `code` null: it
 * has arrived; `answer`: all that the node said.
 */
export type UnderWay = {
  index: number;
  process: RunningNode;
  end(code: string | null, answer?: Result<PaymentResult>): void;
};
type Options = {
  scenario: Scenario;
  seed: number;
  gateway: Gateway;
  /** Called at each point at which a node could die, from the scenario's first block on. */
  onPoint?: (index: number, point: string) => void;
  /** Called with each batch that is written to the disk of a node, in order. */
  onCommit?: (index: number, batch: Batch) => void;
  onPayment?: (record: PaymentRecord) => void;
  /** Where this thread meets those that run the other parts of the world; absent: it runs all of it. */
  seat?: Seat;
  onEvent?: (event: RunEvent) => void;
  /** The nodes' disks; absent: those of the scenario. */
  disks?: Disks;
};
export function build(options: Options, scheduler: Scheduler, randomness: Randomness) {
  const { scenario, seed, onPoint = () => {}, onEvent, onCommit } = options;
  const plan = buildNetwork(scenario, randomness);
  const trace = createTrace(scheduler.now, ({ at, who, what }) =>
    onEvent?.({ step: scheduler.steps(), virtualMs: at - WORLD_BEGINS, who, what }),
  );
  const part = createPart({
    ...{ seat: options.seat, scheduler, nodes: plan.nodes, windowMs: WINDOW_MS },
    parts: Number(scenario.run.parts),
    indexOf: (address) => indexes.get(address) ?? null,
  });
  const { abroad, isHere, partOf } = part;
  const network = createNetwork({
    ...{ scheduler, randomness, lineOf },
    latencyMs: LATENCY_MS,
    ...(abroad === null ? {} : { abroad }),
  });
  const violations: Violation[] = [];
  const faultPeriods: RunResult['faults'][number][] = [];
  const indexes = new Map<Address, number>();
  const paying = new Set<UnderWay>();
  const disturbances = createDisturbances(() => head());
  const isExcused = (index: number, since: bigint) =>
    isInterrupted || disturbances.since(index, since);
  /** Whether the scenario's steps stop, kill or pause nodes. */
  const isInterrupted = scenario.steps.some(({ do: what }) => INTERRUPTIONS.has(what));
  let firstBlock = 0;
  const head = () => world.chain.head().number;
  const block = () => Number(head()) - firstBlock;
  const tally = createTally(plan.nodes.length, {
    ...seriesTerms(scenario),
    block: () => (firstBlock === 0 ? null : block()),
    world: () => world,
    time: () => (scheduler.now() - WORLD_BEGINS) / (1_000 * scenario.chain.blockTime),
  });
  const checked = checkedIn(scenario, plan.nodes, randomness, isHere);
  const trust = createTrust((index) => checked.has(index));
  const takesReal = (what: 'crypto' | 'disk') =>
    randomness.of(`run.${what}`).happens(scenario.run[what].realShare);
  const createCrypto = takesReal('crypto') ? createRealCrypto : createFastCrypto;
  const disks = options.disks ?? createDisks(takesReal('disk'), scenario.faults);

  function lineOf(from: Address, to: Address): Line | null {
    const [a, b] = [indexes.get(from), indexes.get(to)];
    return a === undefined || b === undefined ? null : plan.lineOf(a, b);
  }

  const indexOf = (address: Address) => indexes.get(address) ?? null;
  const { channels, endsOf, noteChannels } = createChannels(() => world, indexOf);
  const wiretaps = createWiretaps({ world: () => world, indexOf, scheduler, randomness });
  const payments = createPaymentNotes({
    block,
    indexOf,
    endsOf,
    now: () => scheduler.now() - run.begun,
    onPayment: options.onPayment,
  });
  const oversight = createOversight({
    tally,
    trust,
    head,
    nameOf: (index) => plan.nodes[index]?.name ?? `node-${index}`,
    indexOf,
    isChecked: (index) => checked.has(index) || plan.nodes[index]?.isHonest === false,
    isEachChecked: plan.nodes.every(({ index, isHonest }) => !isHonest || checked.has(index)),
    addressOf: (index) => world.addressOf(index),
    wiretapOf: wiretaps.of,
    hasExcuse: (index) => world.inhabitants[index]?.disk.faults.full ?? false,
    onViolation: (violation) => void violations.push(violation),
    onCommit(index, batch) {
      payments.commit(index, batch);
      onCommit?.(index, batch);
    },
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
    scenario,
    plan,
    scheduler,
    randomness,
    trace,
    broker: network,
    disks,
    ...{ abroad, isHere },
    crypto: createCrypto('the world of a simulation'),
    gateway: options.gateway,
    watcherOf: oversight.watcherOf,
    around: (index, transport): Transport => attackers.around(index, transport),
  });
  const forks = createForks({ world, scheduler, blockMs: scenario.chain.blockTime * 1000 });
  for (const { index, signer } of world.inhabitants) indexes.set(signer.address, index);
  world.chain.onSubmit((transaction) => {
    oversight.submitted(transaction);
    const index = indexOf(transaction.from);
    if (index !== null) trouble.saw(index, callName(transaction.data), 'sent');
  });
  const { confirmations } = scenario.chain;
  const quiet = createQuiet({
    scenario,
    nodes: plan.nodes,
    isInterrupted,
    trust,
    disturbances,
    inhabitants: world.inhabitants,
    head,
    block,
  });
  const { ledger, cheats, carried, asks, pays } = createRules({
    ...{ world, indexOf, trust, isExcused, quiet, endsOf, tally, oversight, confirmations },
    nodes: plan.nodes,
    now: scheduler.now,
    cheatOf: (address) => attackers.cheatOf(address),
    isOpenTo: (to, payload) => wiretaps.eavesdropper().sent(to, payload).length > 0,
  });

  const attackers = createAttackers({
    scenario,
    plan,
    world,
    scheduler,
    randomness,
    wiretaps,
    connect: network.connect,
    block,
    note: (who, text) => trace.note(who, text),
  });
  listen({ network, trace, attackers, oversight, indexes, carried });
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
    block,
    scheduler,
    blockMs: scenario.chain.blockTime * 1000,
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
  const run = {
    /** How the parts of the run keep together; null: it is in one part. */
    gate: part.join({ network, submit: world.chain.submit, onComing: oversight.coming }),
    /** Whether the node runs in this part. */
    isHere,
    partOf,
    /** Whether it is known what went through the channels of the node: that of other parts only in the end. */
    isCounted: isHere,
    scenario,
    seed,
    plan,
    scheduler,
    randomness,
    trace,
    world,
    tally,
    ledger,
    /** What owners ask their nodes, and what they order them to pay. */
    ...{ asks, pays },
    oversight,
    payments,
    callers: createCallers(),
    network,
    trouble,
    attackers,
    violations,
    /** The number of the block before the scenario's first, and the time of it. */
    firstBlock,
    begun: 0,
    /** Steps that were done before the present moment. */
    moment: 0,
    faultPeriods,
    channels,
    noteChannels,
    channelsOf: (index: number) => channels.filter(({ a, b }) => a === index || b === index),
    indexOf,
    paying,
    /** Number of unfinished payments of running processes; a caller is cut off when the process ends. */
    underWay: () =>
      [...paying].filter(
        ({ index, process }) => world.inhabitants[index]?.machine.node() === process,
      ).length,
    trust,
    quiet,
    /** What each cheat spent, and made others spend. */
    cheats,
    /** The scenario's blocks are counted from here on. */
    begin(nowMs: number) {
      firstBlock = Number(head());
      run.firstBlock = firstBlock;
      run.begun = nowMs;
    },
    /** Releases resources of the real world, such as files. */
    end() {
      world.services.end();
      disks.end();
    },
  };
  return run;
}
export type Run = ReturnType<typeof build>;

/** The honest nodes of this part whose doings are checked. */
function checkedIn(
  { run }: Pick<Scenario, 'run'>,
  nodes: readonly NodePlan[],
  randomness: Randomness,
  isHere: (index: number) => boolean,
): ReadonlySet<number> {
  const chosen = select(run.checked, nodes, randomness.of('run.checked'));
  const found = chosen.filter(({ index, isHonest }) => isHonest && isHere(index));
  return new Set(found.map(({ index }) => index));
}

function createChannels(worldOf: () => World, indexOf: (address: Address) => number | null) {
  /** The channels that were opened, by their identifiers on chain. */
  const channels: { id: bigint; a: number; b: number }[] = [];
  const ends = new Map<string, readonly [number, number]>();
  return {
    channels,
    endsOf: (channel: string) => ends.get(channel) ?? null,
    /** Notes the channels that were opened since the last call. */
    noteChannels() {
      const { chain, tokenNetwork } = worldOf();
      const newest = chain.channelCount(tokenNetwork);
      for (let id = BigInt(channels.length) + 1n; id <= newest; id++) {
        const sides = chain.channel(tokenNetwork, id)?.sides ?? [];
        const [a = -1, b = -1] = sides.map(({ address }) => indexOf(address) ?? -1);
        channels.push({ id, a, b });
        ends.set(channelActorId({ tokenNetwork, channelId: id }), [a, b]);
      }
    },
  };
}

type Listening = {
  network: Network;
  trace: Trace;
  attackers: Attackers;
  oversight: Oversight;
  indexes: ReadonlyMap<Address, number>;
} & Pick<GasRules, 'carried'>;

/** Tells all that look on of what goes over the broker. */
function listen({ network, trace, attackers, oversight, indexes, carried }: Listening) {
  network.tap(({ type, parcel, by }) => {
    const { from, to, payload, topic } = parcel;
    if (type === 'sent')
      trace.note(from, topic === null ? `sends ${to}` : `tells ${topic}`, payload);
    else if (type === 'lost') trace.note(from, `loses what was for ${to} by ${by}`);
    if (type === 'sent' && topic === null) attackers.overhear(parcel);
    const sender = indexes.get(from);
    if (topic !== null) return;
    if (type === 'sent') carried(from, to, payload.length);
    if (type === 'sent' && sender !== undefined) oversight.sent(sender, to, payload);
    if (type === 'delivered') oversight.delivered(to, payload);
  });
}

/** The series of a run has about a hundred points, whatever the length of the run. */
export function seriesTerms({ run }: Scenario) {
  const blocks = Number(run.blocks);
  return { blocks, pointBlocks: Math.max(1, Math.ceil(blocks / 100)) };
}
