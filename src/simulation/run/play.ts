/** Performs a run: block after block, with payments, steps, faults and attacks, and then a calm phase. */

import { getOrMake } from '../../basics/get-or-make.ts';
import { type Hash, toHex } from '../../basics/hex.ts';
import { pack } from '../../protocol/wire/packing.ts';
import { encode } from '../../store/base/codec.ts';
import type { Block } from '../chain/blocks.ts';
import { checkPromise, type Done } from '../invariants/records/promises.ts';
import { Violation } from '../invariants/violation.ts';
import { createTraffic, type Payment } from '../scenario/traffic.ts';
import { letTimePass } from '../world/loop.ts';
import { type Run, type UnderWay, WORLD_BEGINS } from './build.ts';
import { callName } from './figures/call-names.ts';
import { standingOf } from './figures/channels.ts';
import { createProbes } from './rules/probes.ts';
import { createSteps } from './steps.ts';
import type { Players } from './strategies/players.ts';
import type { World } from './world.ts';

export type PlayOptions = {
  /** Called after each block of the run; false ends the run there. */
  onBlock?: (progress: Progress) => boolean;
  /** Called before each moment of the run, from its beginning on: virtual time pauses until the promise resolves. */
  onMoment?: (moment: Moment) => Promise<void> | null;
  /** Called at every moment of the run; true ends it there. */
  isStopped?: () => boolean;
  /** The strategies of chosen nodes; absent: there are none. */
  players?: Players | null;
  /** Nodes that die at given points, counted from the scenario's first block on, and start again. */
  crashes?: readonly Crash[];
};
export type Progress = { block: number; blocks: number; payments: number; steps: number };
/**
 * How far a run has come: `steps` that are done, `virtualMs` since the simulated world began, `block` of the
 * scenario.
 */
export type Moment = {
  steps: number;
  virtualMs: number;
  block: number;
  payments: number;
  trace: () => string;
};
/**
 * The node with this index dies when it passes the point for the n-th time; several crashes of a node happen one
 * after the other.
 */
export type Crash = { index: number; point: string; nth: number };

/** Blocks until a dead node starts again. */
const ABSENCE = 2;
/** Blocks within which all nodes must have caught up. */
const PATIENCE = 100;

/** Performs the run. True: it was stopped before its end. Throws what a strategy throws. */
export async function play(run: Run, options: PlayOptions): Promise<boolean> {
  const { onBlock = () => true, isStopped = () => false, crashes = [], players } = options;
  const { world, scheduler, scenario, violations, tally } = run;
  world.setUp();
  run.noteChannels();
  world.start();
  const blockMs = scenario.chain.blockTime * 1000;
  const { gate } = run;
  const hasEnded = () => isStopped() || gate?.isOver() === true;
  const mayReach = gate?.mayReach;
  const isReadyNow = () => gate?.isTrueForAll(isReady(run)) ?? isReady(run);
  let isReadyYet = isReadyNow();
  let begun = scheduler.now();
  for (let left = PATIENCE; !isReadyYet && left > 0 && !hasEnded(); left--) {
    begun += blockMs;
    await letTimePass(scheduler, begun, hasEnded, undefined, mayReach);
    isReadyYet = isReadyNow();
  }
  run.begin(begun);
  if (hasEnded()) return true;
  if (!isReadyYet) violations.push(new Violation(0, null, 'the nodes did not become ready'));
  const traffic = createTraffic(scenario, run.plan.nodes, run.randomness);
  const next = () => {
    const payment = traffic.next();
    if (payment === null) return;
    const due = begun + Number(payment.atBlock) * blockMs + payment.offsetMs;
    scheduler.after(due - scheduler.now(), () => {
      if (run.isHere(payment.from)) pay(run, payment);
      next();
    });
  };
  next();
  const onViolation = (violation: Violation) => void violations.push(violation);
  const probes = createProbes({ ...run, onViolation });
  const steps = createSteps({
    steps: scenario.steps,
    world,
    nodes: run.plan.nodes,
    randomness: run.randomness,
    block: () => Number(world.chain.head().number) - run.firstBlock,
    pay: ({ node, ...step }, onEnd) => pay(run, { ...step, from: node }, onEnd),
    note: run.trace.note,
    tryChannels: probes.begin,
    onAsked: (index, request) => run.asks(run.plan.nodes[index]?.name ?? '', request),
    onDone: (index, done) => run.oversight.judge(() => checkDone(run, index, done)),
    onViolation,
  });
  const blocks = Number(scenario.run.blocks);
  const calmBlock = blocks - Number(scenario.run.calm);
  const revive = createRevival(world, crashes);
  const noteBlocks = createBlockNotes(run);
  const before = () => {
    run.moment = scheduler.steps();
    return options.onMoment?.(momentOf(run)) ?? null;
  };
  const hasFailed = () => (players?.failure() ?? null) !== null;
  const isOver = () => violations.length > 0 || hasFailed() || hasEnded();
  players?.begin();
  for (let block = 0; block < blocks && violations.length === 0; block++) {
    probes.block();
    steps.block(block);
    revive(block);
    if (block === calmBlock) {
      run.trouble.end();
      run.attackers.end();
    } else if (block < calmBlock) {
      run.trouble.block(block);
      run.attackers.block(block);
      players?.block(block);
    }
    await letTimePass(scheduler, begun + (block + 1) * blockMs, isOver, before, mayReach);
    if (hasFailed()) throw players?.failure();
    if (hasEnded()) return true;
    run.noteChannels();
    noteBlocks();
    tally.series.look(() => standingOf(run));
    const progress = { block, blocks, payments: tally.started(), steps: scheduler.steps() };
    if (!onBlock(progress)) return true;
  }
  if (violations.length > 0) return false;
  const unanswered = steps.unanswered(run.trust.isWhole);
  if (unanswered !== null) violations.push(new Violation(21, null, unanswered));
  probes.end();
  steps.end();
  return false;
}

/** Throws when the chain has not what the node has just told its owner. */
function checkDone({ world, plan, trust }: Run, index: number, done: Done) {
  const who = plan.nodes[index]?.name;
  if (who === undefined || !trust.isWhole(index)) return;
  checkPromise(world.chain, { who, own: world.addressOf(index), done });
}

/** The returned function notes the blocks that were mined since its last call: none, one or more. */
function createBlockNotes(run: Run) {
  const { chain } = run.world;
  let noted = chain.head().number;
  return () => {
    const blocks: Block[] = [];
    while (noted < chain.head().number) {
      noted += 1n;
      const block = chain.block(noted);
      if (block !== null) blocks.push(block);
    }
    for (const block of blocks) noteBlock(run, block);
    run.oversight.block(blocks);
  };
}

function momentOf({ scheduler, world, firstBlock, tally, trace }: Run): Moment {
  return {
    steps: scheduler.steps(),
    virtualMs: scheduler.now() - WORLD_BEGINS,
    block: Number(world.chain.head().number) - firstBlock,
    payments: tally.started(),
    trace: trace.hash,
  };
}

/** Counts what was mined in a block, and how much time locks had left when their secrets were registered in it. */
function noteBlock({ world, ledger, tally, trouble, indexOf }: Run, { number, receipts }: Block) {
  const registry = world.chain.contracts.secretRegistryAddress;
  for (const { transaction, run, logs } of receipts) {
    const call = callName(transaction.data);
    tally.call(call, run.gasUsed);
    const sender = indexOf(transaction.from);
    if (sender !== null) trouble.saw(sender, call, 'mined');
    for (const { address, encoded } of logs) {
      const [, secrethash] = encoded.topics;
      if (address !== registry || secrethash === undefined) continue;
      for (const expiration of ledger.claims(secrethash)) tally.slack(Number(expiration - number));
    }
  }
}

/** Lets nodes die at their points, and starts them again; the returned function is called at every block. */
function createRevival({ inhabitants }: Pick<World, 'inhabitants'>, crashes: readonly Crash[]) {
  const left = [...crashes];
  const downSince = new Map<number, number>();

  function arm(index: number) {
    const at = left.findIndex((crash) => crash.index === index);
    const [crash] = at < 0 ? [] : left.splice(at, 1);
    if (crash !== undefined) inhabitants[index]?.machine.dieAt(crash.point, crash.nth);
  }
  for (const index of new Set(crashes.map((crash) => crash.index))) arm(index);

  return (block: number) => {
    for (const { index } of crashes) {
      const machine = inhabitants[index]?.machine;
      if (machine === undefined || machine.node() !== null) continue;
      const since = getOrMake(downSince, index, () => block);
      if (block < since + ABSENCE) continue;
      downSince.delete(index);
      machine.start();
      arm(index);
    }
  };
}

function isReady({ world, isHere }: Run): boolean {
  return (
    world.services.isReady() &&
    world.inhabitants.every(
      ({ index, machine }) => !isHere(index) || machine.node()?.status().status === 'ready',
    )
  );
}

type Order = Pick<Payment, 'from' | 'to' | 'amount' | 'lockTimeout'> & {
  budget?: Payment['budget'];
  identifier?: number | null;
  secret?: number | null;
  /** Indexes of the nodes after the payer, the payee last; null: whichever the node finds. */
  path?: readonly number[] | null;
  /** What the nodes between may take; null: the usual fees. */
  fee?: bigint | null;
};

/** What the rules say of the end of a payment. A path that its owner has chosen may be none, and a lock too long for a channel. */
function judgeOf(run: Run, who: string, { to, amount, path = null, lockTimeout }: Order) {
  if (path !== null) return () => {};
  const payee = run.world.addressOf(to);
  const ended = run.asks(who, { do: 'pay', partner: payee, amount });
  const arrived = lockTimeout === null ? run.pays(who, { payee, amount }) : null;
  return (code: string | null, secrethash: Hash | null) => {
    ended(code);
    if (secrethash !== null) arrived?.(secrethash);
  };
}

/** Asks the node to pay, as its owner would; a node that is down does not answer. */
export function pay(run: Run, order: Order, onEnd: (code: string | null) => void = () => {}) {
  const { from, to, amount, lockTimeout, budget = null, path = null, fee = null } = order;
  const { identifier = null, secret = null } = order;
  const { world, tally, scheduler } = run;
  const machine = world.inhabitants[from]?.machine;
  const node = machine?.node();
  const startMs = scheduler.now();
  const started = tally.begin(startMs, { from, to });
  const note = run.payments.begin({ from, to, amount });
  if (!machine || !node) {
    tally.end(started, scheduler.now(), 'node_down');
    note('node_down', null);
    return onEnd('node_down');
  }
  const who = run.plan.nodes[from]?.name ?? '';
  const judge = judgeOf(run, who, order);
  const underWay: UnderWay = {
    index: from,
    process: node,
    end(code, answer) {
      if (!run.paying.delete(underWay)) return;
      const text = `payment of ${amount}: ${code ?? 'arrived'}`;
      run.trace.note(who, text, encode(answer ?? null));
      tally.end(started, scheduler.now(), code);
      note(code, answer?.ok === true ? answer.value.secrethash : null);
      judge(code, answer?.ok === true ? answer.value.secrethash : null);
      if (code === null && budget !== null && run.trust.isWhole(from))
        run.oversight.judge(() => run.callers.arrived({ who, amount, startMs, ...budget }));
      onEnd(code);
    },
  };
  run.paying.add(underWay);
  const target = world.addressOf(to);
  const request = { token: world.token, target, amount, lockTimeout, budget };
  const paymentId = identifier === null ? null : BigInt(identifier);
  const chosen = secret === null ? null : toHex(pack([['u256', BigInt(secret)]]));
  const routes = path && [{ route: path.map(world.addressOf), fee }];
  const open = { paymentId, secret: chosen, secrethash: null, routes, isCircular: from === to };
  machine.call(() => {
    node.pay({ ...request, ...open }).then(
      (result) => underWay.end(result.ok ? null : result.code, result),
      (error) => underWay.end(String(error)),
    );
  });
}
