/** The weight of an edge in a route: 1 for the hop, the fees, and 1 if a refund may fail. */
import { keptPenalty } from './even-curves.ts';
import {
  CAPACITY,
  type ChannelGraph,
  CURVE_BASE,
  EDGE_WORDS,
  END_BALANCE,
  NUMBERS,
  PENALTY,
  RATE,
  SEARCH_STEPS,
  sourceOf,
  targetOf,
  WEIGHED,
  WEIGHT,
} from './graph.ts';
import { roughPenalty } from './tariff.ts';

/** One request: what is the same in all searches for it. */
export type WeightQuestion = {
  source: number;
  target: number;
  value: bigint;
  /** The value as a double. */
  units: number;
  diversityPenalty: number;
  feePenalty: number;
  /** Whether a node can pass a payment on; asked at most once for each. */
  isUsable: (node: number) => boolean;
};
/** The least weight of any edge. */
export const LEAST_WEIGHT = 1;
/** One fee unit of the weight is a whole token of 18 decimals. Protocol section 7.1. */
const FEE_UNIT = 1e18;
/** The channel must be able to carry this many times the value in the opposite direction, or a refund may fail. */
const REFUND_FACTOR = 1.1;
/** The weight of an edge. It is computed once for each request. */
export function weightIn(
  graph: ChannelGraph,
  request: number,
  question: WeightQuestion,
  edge: number,
): number {
  if (graph.words[EDGE_WORDS * edge + WEIGHED] !== request) {
    const back = graph.numbers[NUMBERS * (edge ^ 1) + CAPACITY] ?? 0;
    const fee = feeOf(graph, question, edge);
    graph.numbers[NUMBERS * edge + WEIGHT] = weightWith(question, back, fee);
    graph.words[EDGE_WORDS * edge + WEIGHED] = request;
  }
  return graph.numbers[NUMBERS * edge + WEIGHT] ?? 0;
}

/**
 * What the edge's sender charges, without the penalty after the payment: the flat and the proportional fee, less the
 * penalty at the present balance.
 */
function plainFee({ numbers }: ChannelGraph, { units }: WeightQuestion, edge: number): number {
  const at = NUMBERS * edge;
  return (
    (numbers[at + CURVE_BASE] ?? 0) +
    (numbers[at + RATE] ?? 0) * units -
    (numbers[at + PENALTY] ?? 0)
  );
}

/**
 * What both ends of an edge charge for this channel when the value is sent over it: the sender unless it is the
 * initiator, the receiver unless it is the target. NaN where that is not defined.
 */
function feeOf(graph: ChannelGraph, question: WeightQuestion, edge: number): number {
  const { units } = question;
  let fee = 0;
  if (sourceOf(graph, edge) !== question.source) {
    fee += plainFee(graph, question, edge) + penaltyAfter(graph, edge, -units);
  }
  if (targetOf(graph, edge) !== question.target) {
    fee += plainFee(graph, question, edge ^ 1) + penaltyAfter(graph, edge ^ 1, units);
  }
  return fee;
}

function penaltyAfter(graph: ChannelGraph, edge: number, change: number): number {
  const { numbers, words } = graph;
  const steps = words[EDGE_WORDS * edge + SEARCH_STEPS] ?? 0;
  if (steps === 0) return 0;
  const end = numbers[NUMBERS * edge + END_BALANCE] ?? 0;
  const balance = (numbers[NUMBERS * edge + CAPACITY] ?? 0) + change;
  if (steps > 0) return keptPenalty(graph.curves, edge, { steps, end, balance });
  const curve = graph.tariffs[edge]?.curve ?? null;
  return curve === null ? 0 : roughPenalty(curve, balance);
}

/** The weight with this fee; a fee below 0 counts as none. `back`: what can be sent in the opposite direction. */
export function weightWith(
  { units, feePenalty }: WeightQuestion,
  back: number,
  fee: number,
): number {
  const refund = back < REFUND_FACTOR * units ? 1 : 0;
  return LEAST_WEIGHT + (feePenalty * Math.max(fee, 0)) / FEE_UNIT + refund;
}
