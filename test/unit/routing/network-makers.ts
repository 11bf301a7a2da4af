/** Small token networks, and an answer to the same questions that is worked out in the plainest way. */
import fc from 'fast-check';
import type { Address } from '../../../src/basics/hex.ts';
import type { PenaltyCurve } from '../../../src/protocol/fees/fee-curve.ts';
import { estimatePath, type FeeSchedule, type Mediation } from '../../../src/protocol/fees/fees.ts';
import type { PathRequest, RoutedNetwork } from '../../../src/routing/network.ts';
import { createRoutedNetwork } from '../../../src/routing/token-network.ts';

/** The address of node `index`. */
export function nodeAt(index: number): Address {
  return `0x${(index + 1).toString(16).padStart(40, '0')}`;
}

export type End = { node: number; capacity: bigint; schedule?: FeeSchedule };
export type Line = { ends: readonly [End, End] };

/** A network whose channel n + 1 is line n, every capacity announced by both sides and deposited. */
export function networkOf(lines: readonly Line[]): RoutedNetwork {
  const network = createRoutedNetwork();
  for (const [at, line] of lines.entries()) announce(network, BigInt(at + 1), line);
  return network;
}

/** Opens the channel and says all of it. */
export function announce(network: RoutedNetwork, channelId: bigint, line: Line | undefined): void {
  if (line === undefined) throw new Error('there is no such line');
  const [one, two] = line.ends;
  const participants = [nodeAt(one.node), nodeAt(two.node)] as const;
  network.open({ channelId, participants, settleTimeout: 500n });
  for (const [own, other] of [line.ends, [two, one]] as const) {
    const updatingParticipant = nodeAt(own.node);
    network.setTotal(channelId, updatingParticipant, { deposit: own.capacity });
    const words = { updatingCapacity: own.capacity, otherCapacity: other.capacity };
    network.update({ channelId, updatingParticipant, ...words, revealTimeout: 50n });
    if (own.schedule) network.charge(channelId, updatingParticipant, own.schedule);
  }
}

export function free(change: Partial<FeeSchedule> = {}): FeeSchedule {
  return { flat: 0n, proportional: 0n, imbalancePenalty: null, capFees: true, ...change };
}

type Hop = { line: Line; from: End; to: End };

/** Every way without a repeated node between two nodes of the network. */
export function everyWay(lines: readonly Line[], from: number, to: number): Hop[][] {
  const ways: Hop[][] = [];
  const walk = (node: number, hops: Hop[]) => {
    if (node === to) return void ways.push(hops);
    const passed = new Set([from, ...hops.map((hop) => hop.to.node)]);
    for (const line of lines) {
      for (const [end, other] of [line.ends, [line.ends[1], line.ends[0]]] as const) {
        if (end.node !== node || passed.has(other.node)) continue;
        walk(other.node, [...hops, { line, from: end, to: other }]);
      }
    }
  };
  walk(from, []);
  return ways;
}

/** The ways over which these nodes are passed. */
export function waysAlong(lines: readonly Line[], path: readonly Address[]): Hop[][] {
  const nodes = path.map((address) => Number(address) - 1);
  return everyWay(lines, nodes[0] ?? 0, nodes.at(-1) ?? 0).filter(
    (hops) =>
      hops.length === path.length - 1 && hops.every((hop, at) => hop.to.node === nodes[at + 1]),
  );
}

export function mediationsOf(hops: readonly Hop[]): Mediation[] {
  return hops.slice(1).map((out, at) => {
    const into = hops[at];
    if (into === undefined) throw new Error('there is one before');
    return {
      scheduleIn: into.to.schedule ?? free({ capFees: out.from.schedule?.capFees ?? true }),
      scheduleOut: out.from.schedule ?? free({ capFees: into.to.schedule?.capFees ?? true }),
      balanceIn: into.to.capacity,
      receivable: into.from.capacity,
      balanceOut: out.from.capacity,
    };
  });
}

/** What every hop carries so that the target gets `value`, or null where that is not possible. */
export function amountsOf(hops: readonly Hop[], value: bigint): bigint[] | null {
  const amounts: bigint[] = [];
  const mediations = mediationsOf(hops);
  for (let at = 0; at < hops.length; at++) {
    const rest = estimatePath(value, mediations.slice(at));
    if (rest === null || (hops[at]?.from.capacity ?? 0n) < rest.amountWithFees) return null;
    amounts.push(rest.amountWithFees);
  }
  return amounts;
}

/** The weight of the way by the document's formula, each edge's fee taken at the value. */
export function weightOf(hops: readonly Hop[], value: bigint, feePenalty = 100): number {
  return hops.reduce((sum, { from, to }, at) => {
    const out = at === 0 ? 0 : feeOf(from, value, -value);
    const into = at === hops.length - 1 ? 0 : feeOf(to, value, value);
    const refund = Number(to.capacity) < 1.1 * Number(value) ? 1 : 0;
    return sum + 1 + (Math.max(out + into, 0) / 1e18) * feePenalty + refund;
  }, 0);
}

function feeOf({ schedule, capacity }: End, amount: bigint, change: bigint): number {
  if (schedule === undefined) return 0;
  const { flat, proportional, imbalancePenalty } = schedule;
  const penalty = (balance: bigint) => penaltyAt(imbalancePenalty, Number(balance));
  const base = Number(flat) + (Number(proportional) * Number(amount)) / 1e6;
  return base + penalty(capacity + change) - penalty(capacity);
}

function penaltyAt(curve: PenaltyCurve | null, balance: number): number {
  if (curve === null) return 0;
  const points = curve.map(([x, y]) => [Number(x), Number(y)] as const);
  const right = points.findIndex(([x]) => x >= balance);
  const [x1, y1] = points[right] ?? [Number.NaN, Number.NaN];
  const [x0, y0] = points[right - 1] ?? [x1, y1];
  return x1 === x0 ? y1 : y0 + ((y1 - y0) * (balance - x0)) / (x1 - x0);
}

/** Lines between random pairs of so many nodes, at most one for each pair. */
export function anyLines(nodes: number, end: fc.Arbitrary<Omit<End, 'node'>>) {
  const pair = fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)).filter(([a, b]) => a < b);
  const pairs = fc.uniqueArray(pair, {
    minLength: nodes,
    maxLength: 2 * nodes,
    selector: ([a, b]) => a * nodes + b,
  });
  return pairs.chain((chosen) =>
    fc.tuple(
      ...chosen.map(([a, b]) =>
        fc.tuple(end, end).map(([one, two]): Line => {
          return {
            ends: [
              { ...one, node: a },
              { ...two, node: b },
            ],
          };
        }),
      ),
    ),
  );
}

export function ask(change: Partial<PathRequest> = {}): PathRequest {
  return { from: nodeAt(0), to: nodeAt(1), value: 100n, maxPaths: 5, ...change };
}
