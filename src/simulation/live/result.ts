/** The result of a live run, in the form of a simulated one, as far as it can be observed from outside. */
import { larger } from '../../basics/amount.ts';
import type { ChannelResult, NodeResult, RunResult } from '../report/results/result.ts';
import type { Tally } from '../run/figures/tally.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { NetworkPlan, NodePlan } from '../scenario/topology.ts';
import type { Calls, LiveChannel } from './calls.ts';
import type { LiveChain } from './chain.ts';
import type { LiveNetwork, LiveNode } from './network.ts';

/** What each node owned on chain before the run. */
export type Before = readonly { tokens: bigint; wei: bigint }[];
type Parts = {
  scenario: Scenario;
  seed: number;
  plan: NetworkPlan;
  network: LiveNetwork;
  calls: Calls;
  chain: LiveChain;
  tally: Tally;
  before: Before;
  blocks: number;
  ms: number;
  isStopped: boolean;
  failures: readonly string[];
  faults: RunResult['faults'];
  kills(index: number): number;
};

export async function liveResult(parts: Parts): Promise<RunResult> {
  const { scenario, tally, network, calls, plan, failures, isStopped } = parts;
  const { name, title, description } = scenario;
  const { payments, series, histograms, transactionsByType } = tally.results();
  const views = await Promise.all(network.nodes.map((node) => calls.channels(node)));
  const channels = plan.channels.flatMap(({ a, b }) => channelOf(parts, views, a, b));
  const nodes = await Promise.all(
    plan.nodes.map((node) => nodeOf(parts, node, views[node.index] ?? [])),
  );
  return {
    version: 1,
    scenario: { name, title, description },
    seed: parts.seed,
    commit: null,
    trace: 'live',
    token: scenario.network.token,
    verdict: isStopped ? 'stopped' : failures.length > 0 ? 'failed' : 'passed',
    violation: null,
    steps: 0,
    virtualMs: parts.ms,
    wallMs: parts.ms,
    blocks: parts.blocks,
    nodes,
    channels,
    payments,
    series,
    faults: parts.faults,
    histograms: { ...histograms, latencyMessages: [] },
    dangerSlackBlocks: 0,
    // Messages are sealed: their number is known, and not their types.
    messagesByType: { payload: series.reduce((sum, { messages }) => sum + messages, 0) },
    transactionsByType,
    cheats: [],
    expectations: failures.map((text) => ({ text, actual: 'not so', isMet: false })),
    invariants: [],
    faultPoints: {},
    bounds: {},
  };
}

/** The simulated result with messages counted as in live results: by payload, not by type. */
export function withPayloads(simulated: RunResult): RunResult {
  const series = simulated.series.map((point) => ({ ...point, messages: point.payloads }));
  const payload = series.reduce((sum, { payloads }) => sum + payloads, 0);
  return { ...simulated, series, messagesByType: { payload } };
}

const STATES = { opened: 'open', closed: 'closing', settled: 'settled' } as const;

function channelOf(
  { network }: Parts,
  views: readonly (readonly LiveChannel[] | null)[],
  a: number,
  b: number,
): ChannelResult[] {
  const viewOf = (one: number, other: number) =>
    views[one]?.find((view) => view.partner_address === network.nodes[other]?.address);
  const [left, right] = [viewOf(a, b), viewOf(b, a)];
  const amount = (text: string | undefined) => BigInt(text ?? 0);
  return [
    {
      a,
      b,
      beginA: null,
      beginB: null,
      depositA: amount(left?.total_deposit),
      depositB: amount(right?.total_deposit),
      withdrawnA: amount(left?.total_withdraw),
      withdrawnB: amount(right?.total_withdraw),
      endA: amount(left?.balance),
      endB: amount(right?.balance),
      flowAB: 0n,
      flowBA: 0n,
      payments: 0,
      feesA: 0n,
      feesB: 0n,
      state: STATES[left?.state ?? 'settled'],
    },
  ];
}

async function nodeOf(
  parts: Parts,
  { index, name, role }: NodePlan,
  channels: readonly LiveChannel[],
): Promise<NodeResult> {
  const { network, chain, before, tally } = parts;
  const live = liveAt(network, index);
  const had = before[index] ?? { tokens: 0n, wei: 0n };
  const counted = tally.of(index);
  const inChannels = channels
    .filter(({ state }) => state !== 'settled')
    .reduce((sum, { balance }) => sum + BigInt(balance), 0n);
  const wealthAfter = (await chain.tokens(live.address)) + inChannels;
  const earned = wealthAfter - had.tokens + counted.spent - counted.received;
  return {
    index,
    name,
    address: live.address,
    role,
    isHonest: true,
    // Less the fees that the node paid itself: from outside only the difference is known.
    feesEarned: larger(0n, earned),
    feesPaid: 0n,
    lockedBlocks: 0,
    gasSpentWei: larger(0n, had.wei - (await chain.wei(live.address))),
    wealthBefore: had.tokens,
    wealthAfter,
    loss: 0n,
    sent: counted.sentCount,
    received: counted.receivedCount,
    mediated: 0,
    failed: counted.failedCount,
    kills: parts.kills(index),
    messagesSent: 0,
    messagesReceived: counted.messagesReceived,
  };
}

export function liveAt({ nodes }: Pick<LiveNetwork, 'nodes'>, index: number): LiveNode {
  const node = nodes[index];
  if (node === undefined) throw new Error(`live: there is no node ${index}`);
  return node;
}
