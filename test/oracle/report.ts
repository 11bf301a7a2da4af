/** What a figure of a simulation's report should say, worked out of the run's result by other code than the report's. */
import { getOrMake } from '../../src/basics/get-or-make.ts';
import type {
  ChannelResult,
  NodeResult,
  RunResult,
  SeriesPoint,
} from '../../src/simulation/report/results/result.ts';
import {
  HISTOGRAMS,
  histogramFigure,
  numberIn,
  permille,
  type So,
  seriesFigure,
  total,
} from './report-courses.ts';

/** `claim`: as in `data-figure`; `at`: as in `data-at`. */
function soIs(result: RunResult, claim: string, at: string | null): So {
  const cut = claim.lastIndexOf('/');
  const [whose, what] = [claim.slice(0, cut), claim.slice(cut + 1)];
  const [kind = '', name] = splitOnce(whose);
  const table = name === undefined ? wholes(result) : {};
  const found = table[`${kind}/${what}`];
  if (found !== undefined) return found();
  if (claim === 'run/danger_zone') return result.dangerSlackBlocks - numberIn(at);
  if (kind === 'series') return seriesFigure(result, what, at);
  if (kind in HISTOGRAMS && name === undefined)
    return histogramFigure(HISTOGRAMS[kind]?.(result) ?? [], what, at);
  return name === undefined ? null : single(result, { kind, name, what, at });
}

function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf(':');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const amounts = (values: readonly bigint[]): bigint => {
  let sum = 0n;
  for (const value of values) sum += value;
  return sum;
};
/** The figures of which a run has one. */
function wholes(result: RunResult): Record<string, () => So> {
  return {
    ...runWholes(result),
    ...paymentWholes(result),
    ...nodeWholes(result),
    ...networkWholes(result),
    'expectations/count': () => result.expectations.length,
    'expectations/missed': () => result.expectations.filter(({ isMet }) => !isMet).length,
    'violation/block': () => result.violation?.block ?? null,
    'violation/text': () => result.violation?.text ?? null,
    'violation/step': () => result.violation?.step ?? null,
    'violation/lost': () => result.violation?.lost ?? null,
    'fault_points/reached': () =>
      Object.values(result.faultPoints).filter((hits) => hits >= 1).length,
  };
}

function runWholes(result: RunResult): Record<string, () => So> {
  return {
    'run/scenario': () => result.scenario.name,
    'run/seed': () => String(result.seed),
    'run/steps': () => result.steps,
    'run/time': () => result.virtualMs,
    'run/wall': () => result.wallMs,
    'run/blocks': () => result.blocks,
    'run/trace': () => result.trace,
    'run/program': () => result.commit,
    'lock_slack/in_danger': () =>
      total(
        result.histograms.lockSlackBlocks
          .filter(({ value }) => value < result.dangerSlackBlocks)
          .map(({ count }) => count),
      ),
    'run/danger_slack': () => result.dangerSlackBlocks,
  };
}

function paymentWholes(result: RunResult): Record<string, () => So> {
  const { started, succeeded, failed } = result.payments;
  const failures = total(Object.values(failed));
  const each = (all: number) => (succeeded === 0 ? null : all / succeeded);
  const ended = (of: (point: SeriesPoint) => number) => total(result.series.map(of));
  const { gas, count } = transactions(result);
  const messages = total(Object.values(result.messagesByType));
  return {
    'payments/started': () => started,
    'payments/succeeded': () => succeeded,
    'payments/failed': () => failures,
    'payments/pending': () => started - succeeded - failures,
    'payments/success': () => permille(succeeded, started),
    'payments/arrived_of_ended': () =>
      permille(
        ended((point) => point.succeeded),
        ended((point) => point.succeeded + point.failed),
      ),
    'payments/gas': () => each(gas),
    'payments/messages': () => each(messages),
    'payments/other_failures': () => others(Object.values(failed)),
    'transactions/count': () => count,
    'transactions/gas': () => gas,
    'transactions/other_gas': () =>
      others(Object.values(result.transactionsByType).map((type) => type.gas)),
    'messages/count': () => messages,
    'messages/others': () => others(Object.values(result.messagesByType)),
  };
}

function transactions({ transactionsByType }: RunResult) {
  const all = Object.values(transactionsByType);
  return { gas: total(all.map(({ gas }) => gas)), count: total(all.map(({ count }) => count)) };
}

/** All but the fourteen greatest. */
const others = (values: readonly number[]): number =>
  total(values.toSorted((a, b) => b - a).filter((_, at) => at >= 14));

function nodeWholes({ nodes }: RunResult): Record<string, () => So> {
  const robbed = nodes.filter((node) => node.isHonest && node.loss !== 0n);
  const earners = nodes.filter((node) => node.feesEarned !== 0n);
  return {
    'nodes/count': () => nodes.length,
    'nodes/honest_loss': () => amounts(robbed.map(({ loss }) => loss)),
    'nodes/losers': () => robbed.length,
    'nodes/fees_earned': () => amounts(nodes.map(({ feesEarned }) => feesEarned)),
    'nodes/earners': () => earners.length,
    'nodes/earning_cheats': () => earners.filter(({ isHonest }) => !isHonest).length,
    'nodes/fees_paid': () => amounts(nodes.map(({ feesPaid }) => feesPaid)),
    'nodes/payers': () => nodes.filter((node) => node.feesPaid !== 0n).length,
    'nodes/locked_blocks': () =>
      BigInt(Math.round(total(nodes.map(({ lockedBlocks }) => lockedBlocks)))),
  };
}

export const flowOf = ({ flowAB, flowBA }: ChannelResult): bigint => flowAB + flowBA;

function throughOf({ channels }: RunResult, index: number): bigint {
  return amounts(channels.filter(({ a, b }) => a === index || b === index).map(flowOf));
}

/** The nodes and channels of which a map has room, the busiest. */
export function mapped(result: RunResult) {
  const { nodes, channels } = result;
  const flows = new Map<number, bigint>();
  for (const channel of channels)
    for (const end of [channel.a, channel.b])
      flows.set(end, (flows.get(end) ?? 0n) + flowOf(channel));
  const order = nodes.map(({ index }) => ({ index, flow: flows.get(index) ?? 0n }));
  order.sort((one, two) => Number(two.flow - one.flow) || one.index - two.index);
  const shown = new Set(order.slice(0, 1000).map(({ index }) => index));
  const drawn = channels
    .filter(({ a, b }) => shown.has(a) && shown.has(b))
    .sort((one, two) => Number(flowOf(two) - flowOf(one)))
    .slice(0, 5000);
  const open = drawn.filter(({ state }) => state === 'open').map(flowOf);
  return { nodes: shown, channels: drawn, most: open.reduce((a, b) => (a > b ? a : b), 0n) };
}

function networkWholes(result: RunResult): Record<string, () => So> {
  const { channels } = result;
  const open = channels.filter(({ state }) => state === 'open');
  return {
    'channels/count': () => channels.length,
    'channels/flow': () => amounts(channels.map(flowOf)),
    'channels/imbalance': () => leaning(open.map(({ endA, endB }) => [endA, endB])),
    'channels/imbalance_begin': () =>
      leaning(
        channels.flatMap(({ beginA, beginB }) =>
          beginA === null || beginB === null ? [] : [[beginA, beginB]],
        ),
      ),
    'map/nodes': () => mapped(result).nodes.size,
    'map/channels': () => mapped(result).channels.length,
    'map/most_flow': () => mapped(result).most,
  };
}

/** How far the sides are from each other, of what both have; the mean, in thousandths. */
function leaning(sides: readonly (readonly [bigint, bigint] | bigint[])[]): So {
  const scale = 10n ** 30n;
  const all = sides.flatMap(([a = 0n, b = 0n]) => {
    const away = a > b ? a - b : b - a;
    return a + b === 0n ? [] : [(away * scale) / (a + b)];
  });
  return all.length === 0 ? null : Number((amounts(all) * 1000n) / BigInt(all.length)) / 1e30;
}

type Single = { kind: string; name: string; what: string; at: string | null };

function single(result: RunResult, { kind, name, what, at }: Single): So {
  switch (kind) {
    case 'node':
      return nodeFigure(result, Number(name), what);
    case 'transaction':
      return pick(result.transactionsByType[name], what);
    case 'message':
      return what === 'count' ? (result.messagesByType[name] ?? null) : null;
    case 'failure':
      return what === 'count' ? (result.payments.failed[name] ?? null) : null;
    case 'fault_point':
      return what === 'hits' ? (result.faultPoints[name] ?? null) : null;
    case 'expectation':
      return what === 'isMet' ? null : pick(result.expectations[Number(name)], what);
    case 'rule':
      return pick(
        result.invariants.find(({ number }) => number === Number(name)),
        what,
      );
    case 'fault':
      return pick(result.faults[Number(name)], what);
    case 'faults':
      return faultPeriod(result, name, numberIn(at));
    case 'point':
      return pick(
        result.series.find(({ block }) => block === Number(name)),
        what,
        SHARES,
      );
    case 'lock_slack':
      return slackIn(result, name);
    default:
      return null;
  }
}

const SHARES = new Set(['imbalance']);

/** A field of the result, whose name is written with underscores. */
function pick(from: object | undefined, what: string, shares = new Set<string>()): So {
  const field = what.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const value: unknown =
    from === undefined ? null : Object.entries(from).find(([key]) => key === field)?.[1];
  if (typeof value === 'number') return shares.has(what) ? value * 1000 : value;
  return typeof value === 'bigint' || typeof value === 'string' ? value : null;
}

function nodeFigure(result: RunResult, index: number, what: string): So {
  const node: NodeResult | undefined = result.nodes.find((one) => one.index === index);
  if (node === undefined) return null;
  if (what === 'through') return throughOf(result, index);
  if (what === 'gain') return node.wealthAfter - node.wealthBefore;
  if (what === 'messages') return node.messagesSent + node.messagesReceived;
  if (what === 'gas_spent') return node.gasSpentWei;
  return pick(node, what);
}

/** How many blocks from `from` on the faults of a line of the drawing were at work without a break. */
function faultPeriod({ faults, series, blocks }: RunResult, line: string, from: number): So {
  const names = [
    ...new Set(faults.toSorted((a, b) => a.fromBlock - b.fromBlock).map(({ name }) => name)),
  ];
  const alone = names.length > 4 ? names.slice(0, 3) : names;
  const own = faults.filter(({ name }) =>
    line === 'other faults' && !names.includes(line) ? !alone.includes(name) : name === line,
  );
  const end = Math.max(blocks, (series.at(-1)?.block ?? 0) + 1);
  const isAtWork = (block: number) =>
    own.some(({ fromBlock, toBlock }) => fromBlock <= block && block <= toBlock);
  let block = from;
  while (block < end && isAtWork(block)) block += 1;
  return block === from || (isAtWork(from - 1) && from > (series[0]?.block ?? 0))
    ? null
    : block - from;
}

function slackIn({ histograms }: RunResult, range: string): So {
  const [from, to] = range.split('..').map(Number);
  if (from === undefined || to === undefined) return null;
  return total(
    histograms.lockSlackBlocks
      .filter(({ value }) => from <= value && value <= to)
      .map(({ count }) => count),
  );
}

const known = new WeakMap<RunResult, Map<string, So>>();

/** A page has the same claims at each width. */
export function knownOf(result: RunResult, claim: string, at: string | null): So {
  const own = known.get(result) ?? new Map<string, So>();
  known.set(result, own);
  return getOrMake(own, `${claim} ${at}`, () => soIs(result, claim, at));
}
