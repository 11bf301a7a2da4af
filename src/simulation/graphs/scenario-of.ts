/** The scenario in which an imported graph can be run, as the texts of its two files. */
import { fieldsOf, type NamedChannel, totalOf } from '../scenario/importing/channel-list.ts';
import { csvOf } from '../scenario/importing/channel-rows.ts';
import type { Graph } from './graph.ts';

type Options = {
  /** Of the file with the channels, beside the scenario. */
  fileName: string;
  /** Of what was imported, for people. */
  origin: string;
  seed: number;
};

/** Longer names are cut, as long as all differ. */
const SHORT = 10;
/** A payment of the scenario is about so much of a channel. */
const SHARE = 100n;
/** Twice a usual timelock fits in. */
const SETTLE_TIMEOUT = 300;
/**
 * So long that the reveal timeouts of some who pass a payment on fit in, and no longer than can be waited for: a payment that
 * nobody can pass on ends when its lock has run out.
 */
const LOCK_TIMEOUT = 200;
/** Blocks with payments, and after the last lock has run out: then it is taken back by all. */
const BUSY = 40;
const TAKEN_BACK = 30;
const CALM = LOCK_TIMEOUT + TAKEN_BACK;

export function scenarioOf(graph: Graph, { fileName, origin, seed }: Options) {
  const { token } = graph;
  const channels = withShortNames(graph.channels);
  const names = new Set(channels.flatMap(({ a, b }) => [a, b]));
  const size = `${names.size} nodes and ${channels.length} channels`;
  const amount = typicalCapacity(channels) / SHARE;
  const median = amount > 0n ? amount : 1n;
  const yaml = `version: 1
title: ${JSON.stringify(`Channels of ${origin}`.slice(0, 120))}
description: ${JSON.stringify(`${size} of ${origin}, as "sluice simulate import" wrote them.`)}
seed: ${seed}
network:
  topology: { kind: import, channels: { file: ${JSON.stringify(fileName)} } }
  token: { symbol: ${token.symbol}, decimals: ${token.decimals} }
${channels.some(({ capacity }) => 'total' in capacity) ? '  # Who has how much in each channel is not known.\n  split: random\n' : ''}defaults: { settle_timeout: ${SETTLE_TIMEOUT} }
services:
  path_finding: { kind: shared }
traffic:
  # In the smallest unit: a hundredth of what the channel in the middle has.
  - rate: { kind: poisson, per_block: 2 }
    amount: { kind: lognormal, median: ${median}, sigma: 1, most: ${median * 20n} }
    lock_timeout: ${LOCK_TIMEOUT}
# Time for the last locks to run out.
run: { blocks: ${BUSY + CALM}, calm: ${CALM} }
`;
  return { yaml, csv: csvOf(channels.map(fieldsOf)), nodes: names.size };
}

/** So much or more has the half of the channels. */
function typicalCapacity(channels: readonly NamedChannel[]): bigint {
  const totals = channels.map(totalOf).toSorted((one, other) => (one < other ? -1 : 1));
  return totals[Math.floor(totals.length / 2)] ?? 0n;
}

function withShortNames(channels: readonly NamedChannel[]): NamedChannel[] {
  const names = new Set(channels.flatMap(({ a, b }) => [a, b]));
  const longest = Math.max(...[...names].map(({ length }) => length));
  let letters = SHORT;
  while (letters < longest && cut(names, letters).size < names.size) letters += 1;
  return channels.map((channel) => {
    return { ...channel, a: channel.a.slice(0, letters), b: channel.b.slice(0, letters) };
  });
}

function cut(names: ReadonlySet<string>, letters: number): Set<string> {
  return new Set([...names].map((name) => name.slice(0, letters)));
}
