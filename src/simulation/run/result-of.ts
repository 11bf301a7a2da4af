/** The result of a run: who owns what, which expectations were met, and what went wrong. */
import { larger } from '../../basics/amount.ts';
import { INVARIANT_NAMES } from '../invariants/names.ts';
import { Violation } from '../invariants/violation.ts';
import { sum } from '../report/results/figures.ts';
import type { NodeResult, RunResult } from '../report/results/result.ts';
import {
  expectationText,
  isMet,
  type Measured,
  measuredText,
} from '../scenario/schema/expectations.ts';
import type { Run } from './build.ts';
import { channelResults, movedTo, standingOf } from './figures/channels.ts';
import { WEALTH } from './node-settings.ts';
import { type Counted, figuresOf, NOTHING_TO_MEASURE } from './summary.ts';

type Ending = { isStopped: boolean; commit: string | null };

export async function resultOf(run: Run, { isStopped, commit }: Ending): Promise<RunResult> {
  const { scenario, trace, scheduler, world, tally, violations } = run;
  tally.series.end(standingOf(run));
  tally.endLocks();
  const { histograms, ...counted } = tally.results();
  const nodes = run.plan.nodes.map(({ index }) => nodeOf(run, index));
  const channels = channelResults(run);
  if (!isStopped && violations.length === 0) checkEnd(run, nodes);
  const cheats = run.cheats();
  const measured = measuredOf(run, { ...counted, histograms, nodes, channels, cheats });
  const token = scenario.network.token;
  const expectations = scenario.expectations.map((expectation) => ({
    text: expectationText(expectation, token),
    actual: actualText(measured[expectation.measure], token),
    isMet: isMet(expectation, measured),
  }));
  const [violation] = violations;
  const isGood = violation === undefined && expectations.every((one) => one.isMet);
  return {
    version: 1,
    scenario: pick(scenario),
    seed: run.seed,
    commit,
    trace: trace.hash(),
    token,
    verdict: isStopped ? 'stopped' : isGood ? 'passed' : 'failed',
    violation: violation === undefined ? null : violationOf(run, violation),
    steps: scheduler.steps(),
    virtualMs: scheduler.now() - run.begun,
    blocks: Number(world.chain.head().number) - run.firstBlock,
    wallMs: 0,
    nodes,
    channels,
    ...counted,
    faults: run.faultPeriods,
    histograms: { ...histograms, latencyMessages: run.oversight.efforts() },
    dangerSlackBlocks: 9,
    cheats,
    expectations,
    invariants: [...run.oversight.looks()]
      .sort(([a], [b]) => a - b)
      .map(([number, checks]) => ({ number, name: INVARIANT_NAMES[number] ?? '', checks })),
  };
}

function actualText(value: number | bigint | null, token: Run['scenario']['network']['token']) {
  return value === null ? NOTHING_TO_MEASURE : measuredText(value, token);
}

function pick({ name, title, description }: Run['scenario']) {
  return { name, title, description };
}

/** What a node owns: the tokens in its wallet, and what its channels would pay it if they were closed now. */
function wealthOf(run: Run, index: number): bigint {
  const { world } = run;
  const own = world.addressOf(index);
  return run.channelsOf(index).reduce(
    (sum, channel) => {
      const facts = world.chain.channel(world.tokenNetwork, channel.id);
      const side = facts?.sides.find(({ address }) => address === own);
      if (facts === null || side === undefined) return sum;
      // Settled amounts are in the wallet already.
      if (facts.state !== 'opened' && facts.state !== 'closed') return sum;
      return sum + side.deposit - side.withdrawn + movedTo(run, channel, index);
    },
    world.chain.tokenBalance(world.token, own),
  );
}

/** What the node should own, according to its payments. */
function owedTo({ plan, tally }: Run, index: number): bigint {
  const { spent, received, fees } = tally.of(index);
  return WEALTH + (plan.nodes[index]?.capacity ?? 0n) - spent + received + fees;
}

function gainOf(run: Run, { index, wealthAfter }: NodeResult): bigint {
  return wealthAfter - owedTo(run, index);
}

function nodeOf(run: Run, index: number): NodeResult {
  const { plan, world, tally } = run;
  const node = plan.nodes[index];
  if (node === undefined) throw new Error(`simulation: there is no node ${index}`);
  const counted = tally.of(index);
  const wealthBefore = WEALTH + node.capacity;
  const wealthAfter = wealthOf(run, index);
  const owed = owedTo(run, index);
  return {
    index,
    name: node.name,
    address: world.addressOf(index),
    role: node.role,
    isHonest: node.isHonest,
    feesEarned: counted.fees,
    feesPaid: counted.feesPaid,
    lockedBlocks: counted.lockedBlocks,
    wealthBefore,
    wealthAfter,
    gasSpentWei: larger(0n, node.gasMoney - world.chain.wei(world.addressOf(index))),
    loss: larger(0n, owed - wealthAfter),
    sent: counted.sentCount,
    received: counted.receivedCount,
    mediated: counted.mediatedCount,
    failed: counted.failedCount,
    kills: counted.kills,
    messagesSent: counted.messagesSent,
    messagesReceived: counted.messagesReceived,
  };
}

/** At the end no honest node has lost anything, and none has unfinished business. */
function checkEnd(run: Run, nodes: readonly NodeResult[]) {
  for (const { index, name, loss, isHonest } of nodes) {
    if (!isHonest || !run.trust.isWhole(index)) continue;
    if (loss > 0n)
      run.violations.push(new Violation(5, name, `${name} has lost ${loss}`, { lost: loss }));
  }
  for (const { index, name, count } of stuckLocks(run))
    if (run.trust.isWhole(index))
      run.violations.push(new Violation(13, name, `${name} has ${count} locks that never end`));
  checkOutboxes(run);
  const under = run.underWay();
  if (under > 0) run.violations.push(new Violation(21, null, `${under} payments never end`));
  run.oversight.end();
}

/** Calm blocks within which lost messages are sent again, and received. */
const HEARING = 40;

/** Checks that no message between honest nodes still waits. */
function checkOutboxes(run: Run) {
  const { blocks, calm } = run.scenario.run;
  if (Number(calm) < HEARING) return;
  const lives = run.plan.nodes.filter(
    ({ index }) => run.trust.isWhole(index) && run.world.inhabitants[index]?.machine.node(),
  );
  const names = new Set(lives.map(({ name }) => name));
  const addresses = new Set(lives.map(({ index }) => run.world.addressOf(index)));
  for (const { who, key, recipient } of run.oversight.unheard(
    BigInt(run.firstBlock) + blocks - calm,
  ))
    if (names.has(who) && addresses.has(recipient))
      run.violations.push(new Violation(21, who, `${who} says ${key} in vain`));
}

/**
 * Locks that are still pending between honest nodes. Nodes with an old database are left out: they sign nothing, so
 * that their locks end by closing the channel.
 */
function stuckLocks({ world, plan, trust }: Run) {
  const { token } = world;
  const whole = plan.nodes.filter(({ index }) => trust.isWhole(index));
  const honest = new Set(whole.map(({ index }) => world.addressOf(index)));
  return plan.nodes.flatMap(({ index, name, isHonest }) => {
    const node = isHonest ? world.inhabitants[index]?.machine.node() : null;
    if (!node) return [];
    const partners = node.channels({ token }).filter(({ partner }) => honest.has(partner));
    const ids = new Set(partners.map(({ channelId }) => channelId));
    const pending = node.pendingTransfers({ token, partner: null });
    const count = pending.ok
      ? pending.value.filter(({ channelId }) => ids.has(channelId)).length
      : 0;
    return count === 0 ? [] : [{ index, name, count }];
  });
}

function measuredOf(run: Run, counted: Counted): Measured {
  const { payments, nodes, channels, histograms } = counted;
  const figures = figuresOf(counted);
  const count = (list: readonly number[]) => list.reduce((total, one) => total + one, 0);
  const gains = nodes.filter((node) => !node.isHonest).map((node) => gainOf(run, node));
  return {
    success_rate: figures.successRate,
    succeeded_payments: payments.succeeded,
    failed_payments: count(Object.values(payments.failed)),
    stuck_payments: run.underWay(),
    stuck_locks: count(stuckLocks(run).map((one) => one.count)),
    latency_blocks_p50: figures.latencyBlocksP50,
    latency_blocks_p99: figures.latencyBlocksP99,
    lock_slack_blocks: histograms.lockSlackBlocks[0]?.value ?? null,
    messages_per_payment: figures.messagesPerPayment,
    gas_per_payment: figures.gasPerPayment,
    depleted_channels: figures.depletedChannels,
    settled_channels: channels.filter(({ state }) => state === 'settled').length,
    kills: count(nodes.map(({ kills }) => kills)),
    honest_loss: figures.honestLoss,
    attacker_gain: larger(0n, sum(gains)),
    fee_income: figures.feeIncome,
  };
}

function violationOf(run: Run, violation: Violation): RunResult['violation'] {
  const index = run.plan.nodes.findIndex(({ name }) => name === violation.who);
  return {
    invariant: `${violation.invariant} ${INVARIANT_NAMES[violation.invariant] ?? ''}`.trim(),
    step: run.moment,
    block: Math.max(0, Number(run.world.chain.head().number) - run.firstBlock),
    node: index < 0 ? null : index,
    lost: violation.lost,
    text: violation.message,
    lastEvents: run.trace.latest().slice(-60),
  };
}
