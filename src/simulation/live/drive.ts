/**
 * Carries out a scenario on a network of real processes, in real time. Payments, steps and faults are the same, at
 * the same blocks, as in a simulation of the scenario with the same seed.
 */
import type { RunResult } from '../report/results/result.ts';
import { seriesTerms } from '../run/build.ts';
import { createFaultSchedule, type Undo } from '../run/faults/fault-schedule.ts';
import { createTally, type Tally } from '../run/figures/tally.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { Fault } from '../scenario/schema/trouble.ts';
import { buildNetwork, type NetworkPlan } from '../scenario/topology.ts';
import { createTraffic, type Payment } from '../scenario/traffic.ts';
import { realNow } from '../workers/real-clock.ts';
import { createRandomness, type Draw } from '../world/randomness.ts';
import { type Calls, createCalls } from './calls.ts';
import { type LiveChain, openChain } from './chain.ts';
import { countMessages } from './messages.ts';
import type { LiveNetwork } from './network.ts';
import { createProcesses, type Processes } from './processes.ts';
import { type Before, liveAt, liveResult } from './result.ts';
import { openChannels } from './set-up.ts';
import { createLiveSteps } from './steps.ts';

export type DriveOptions = {
  scenario: Scenario;
  seed: number;
  network: LiveNetwork;
  say(text: string): void;
  onBlock?(block: number): void;
  isStopped(): boolean;
};

const LOOK_MS = 50;
/** Blocks after the last channel has been opened: by then all nodes know all of them. */
const KNOWN_AFTER = 3;
/** How many times payments under way are looked at before they are given up. */
const PATIENCE_LOOKS = 400;

const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS));

/** Rejects when the network cannot be set up. */
export async function driveLive(options: DriveOptions): Promise<RunResult> {
  const { scenario, seed, network } = options;
  const plan = buildNetwork(scenario, createRandomness(seed));
  const calls = createCalls(network.token);
  const chain = openChain(network.rpc, network.token);
  const before = await setUp(options, { plan, calls, chain });
  const first = await chain.head();
  const begun = realNow();
  let block = 0;
  const tally = createTally(plan.nodes.length, {
    ...seriesTerms(scenario),
    block: () => block,
    world: () => ({ token: network.token, addressOf: (index) => liveAt(network, index).address }),
    time: () => block,
  });
  const failures: string[] = [];
  const faults: RunResult['faults'][number][] = [];
  const processes = createProcesses(network.nodes, (text) => void failures.push(text));
  const payments = createPayments({ network, calls, tally });
  const parts = { plan, calls, processes, payments, failures };
  const course = createCourse(options, parts, {
    block: () => block,
    onPeriod: (period) => void faults.push(period),
  });
  const endMessages = await countMessages(network, tally.overheard);
  const traffic = createTraffic(scenario, plan.nodes, createRandomness(seed));
  const endTraffic = payments.follow(traffic, scenario.chain.blockTime * 1_000);
  const blocks = Number(scenario.run.blocks);
  options.say(`Running ${blocks} blocks of ${scenario.chain.blockTime} seconds`);
  while (block < blocks) {
    course.block(block);
    while ((await chain.head()) <= first + block && !options.isStopped()) await pause();
    if (options.isStopped()) break;
    block += 1;
    for (const { name, gasUsed } of await chain.callsIn(first + block)) tally.call(name, gasUsed);
    options.onBlock?.(block);
  }
  endTraffic();
  await course.end();
  await endMessages();
  return liveResult({
    scenario,
    seed,
    plan,
    network,
    calls,
    chain,
    tally,
    failures,
    faults,
    before,
    blocks: block,
    ms: Math.round(realNow() - begun),
    isStopped: options.isStopped(),
    kills: processes.kills,
  });
}

type Tools = { plan: NetworkPlan; calls: Calls; chain: LiveChain };

/** Opens the channels; returns what each node owned: tokens before the openings, ether after them. */
async function setUp(
  { network: { nodes }, say, isStopped }: DriveOptions,
  { plan, calls, chain }: Tools,
): Promise<Before> {
  const tokens = await Promise.all(nodes.map(({ address }) => chain.tokens(address)));
  say(`Opening ${plan.channels.length} channels`);
  await openChannels(plan.channels, nodes, calls, isStopped);
  const known = (await chain.head()) + KNOWN_AFTER;
  while ((await chain.head()) < known && !isStopped()) await pause();
  const wei = await Promise.all(nodes.map(({ address }) => chain.wei(address)));
  return nodes.map((_, index) => ({ tokens: tokens[index] ?? 0n, wei: wei[index] ?? 0n }));
}

type Actors = Pick<Tools, 'plan' | 'calls'> & {
  processes: Processes;
  payments: ReturnType<typeof createPayments>;
  failures: string[];
};
type Periods = { block(): number; onPeriod(period: RunResult['faults'][number]): void };

/** What happens at each block: steps and faults; in the calm phase no new ones. */
function createCourse(options: DriveOptions, actors: Actors, periods: Periods) {
  const { scenario, seed, network } = options;
  const { plan, calls, processes, payments, failures } = actors;
  const schedule = faultsOf(options, plan, processes, periods);
  const steps = createLiveSteps({
    steps: scenario.steps,
    nodes: plan.nodes,
    live: network.nodes,
    calls,
    processes,
    randomness: createRandomness(seed),
    onFailure: (text) => void failures.push(text),
    pay: ({ node, ...step }, onEnd) => payments.pay({ ...step, from: node }, onEnd),
  });
  const calmBlock = Number(scenario.run.blocks - scenario.run.calm);
  return {
    block(block: number) {
      steps.block(block);
      if (block === calmBlock) schedule.end();
      else if (block < calmBlock) schedule.block(block);
    },
    /** Resolves when all processes run again, and all payments have ended or are given up. */
    async end(): Promise<void> {
      schedule.end();
      await processes.settled();
      for (let left = PATIENCE_LOOKS; payments.underWay() > 0 && left > 0; left--) await pause();
      const left = payments.underWay();
      if (left > 0) failures.push(`${left} payments never end`);
    },
  };
}

type Order = Pick<Payment, 'from' | 'to' | 'amount' | 'lockTimeout'>;
type Paying = { network: LiveNetwork; calls: Calls; tally: Tally };

function createPayments({ network, calls, tally }: Paying) {
  let underWay = 0;

  function pay({ from, to, amount, lockTimeout }: Order, onEnd?: (code: string | null) => void) {
    const started = tally.begin(realNow(), { from, to });
    underWay += 1;
    void calls.pay(liveAt(network, from), liveAt(network, to), amount, lockTimeout).then((code) => {
      underWay -= 1;
      tally.end(started, realNow(), code);
      const sender = tally.of(from);
      if (code === null) {
        sender.sentCount += 1;
        sender.spent += amount;
        tally.of(to).receivedCount += 1;
        tally.of(to).received += amount;
      }
      onEnd?.(code);
    });
  }

  return {
    pay,
    underWay: () => underWay,
    /** Makes each payment at its time, until the returned function is called. */
    follow({ next }: { next(): Payment | null }, blockMs: number): () => void {
      const begun = realNow();
      let timer: ReturnType<typeof setTimeout> | null = null;
      const wait = () => {
        const payment = next();
        if (payment === null) return;
        const due = begun + Number(payment.atBlock) * blockMs + payment.offsetMs;
        timer = setTimeout(
          () => {
            pay(payment);
            wait();
          },
          Math.max(0, due - realNow()),
        );
      };
      wait();
      return () => {
        if (timer !== null) clearTimeout(timer);
      };
    },
  };
}

function faultsOf(
  { scenario, seed }: DriveOptions,
  { nodes, channels }: NetworkPlan,
  processes: Processes,
  { block, onPeriod }: Periods,
) {
  const neighboursOf = (index: number) =>
    channels.flatMap(({ a, b }) => (a === index ? [b] : b === index ? [a] : []));

  function strike(fault: Fault, index: number, draw: Draw): Undo {
    switch (fault.kind) {
      case 'kill':
        return processes.kill(index) ? () => processes.start(index) : null;
      case 'kill_pair': {
        const neighbours = neighboursOf(index);
        const pair = [index, ...(neighbours.length === 0 ? [] : [draw.pick(neighbours)])];
        const killed = pair.filter((one) => processes.kill(one));
        return () => killed.forEach(processes.start);
      }
      case 'restart':
        processes.stop(index);
        return () => processes.start(index);
      case 'pause':
        processes.pause(index);
        return () => processes.resume(index);
      default:
        return null;
    }
  }

  return createFaultSchedule({
    faults: scenario.faults,
    nodes,
    randomness: createRandomness(seed),
    calmBlock: Number(scenario.run.blocks - scenario.run.calm),
    present: block,
    // Nobody tells what real processes send, so that what waits for it never strikes.
    soon: (_, work) => work(),
    strike: (fault, target, _, draw) => target && strike(fault, target.index, draw),
    hits: () => 1,
    onFault(name, index) {
      const target = index === null ? 'everybody' : (nodes[index]?.name ?? '');
      const fromBlock = block();
      return (hits) => onPeriod({ name, target, fromBlock, toBlock: block(), hits });
    },
  });
}
