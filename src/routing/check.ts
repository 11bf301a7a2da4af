/** Whether a route that was found really carries the payment: exact fees and amounts, from the target backwards. */
import { amountWithFees, type FeeSchedule } from '../protocol/fees/fees.ts';
import { type ChannelGraph, sourceOf } from './graph.ts';
import { type Range, type Tariff, tariffSchedule } from './tariff.ts';

const FREE: FeeSchedule = { flat: 0n, proportional: 0n, imbalancePenalty: null, capFees: true };

/**
 * `edges` of a refusal: no route with all of these can carry the amount. `node`: the node that could not pass it on.
 */
export type RouteCheck = { ok: true; sent: bigint } | { ok: false; edges: number[]; node: number };

/** `sent`: what the initiator must send for the target to get `value`, without a margin. */
export function checkRoute(
  graph: ChannelGraph,
  edges: readonly number[],
  value: bigint,
): RouteCheck {
  let amount = value;
  for (let at = edges.length - 1; at >= 0; at--) {
    const out = edges[at] ?? 0;
    const node = sourceOf(graph, out);
    if ((graph.capacities[out] ?? 0n) < amount) return { ok: false, edges: edges.slice(at), node };
    const into = edges[at - 1];
    if (into === undefined) break;
    const before = amountBefore(graph, into, out, amount);
    if (before === null) return { ok: false, edges: edges.slice(at - 1), node };
    amount = before;
  }
  return { ok: true, sent: amount };
}

/**
 * What the mediator between two edges must get. It is first computed with only that part of the fee curves that the
 * answer probably needs: as amounts are tried from 0 upwards, an answer is the same as with the whole curves. If
 * there is none, the whole curves are used.
 */
function amountBefore(
  graph: ChannelGraph,
  into: number,
  out: number,
  amount: bigint,
): bigint | null {
  const balanceIn = graph.capacities[into ^ 1] ?? 0n;
  const balanceOut = graph.capacities[out] ?? 0n;
  const part = {
    rangeIn: [balanceIn, balanceIn + amount + amount / 4n],
    rangeOut: [balanceOut - amount, balanceOut],
  } as const;
  return (
    amountWithFees(mediation(graph, into, out, part), amount) ??
    amountWithFees(mediation(graph, into, out, {}), amount)
  );
}

/** The mediator between two edges; its balances are what it can send there. */
function mediation(
  graph: ChannelGraph,
  into: number,
  out: number,
  { rangeIn, rangeOut }: { rangeIn?: Range; rangeOut?: Range },
) {
  const [tariffIn, tariffOut] = [graph.tariffs[into ^ 1] ?? null, graph.tariffs[out] ?? null];
  return {
    scheduleIn: exact(tariffIn, tariffOut, rangeIn),
    scheduleOut: exact(tariffOut, tariffIn, rangeOut),
    balanceIn: graph.capacities[into ^ 1] ?? 0n,
    receivable: graph.capacities[into] ?? 0n,
    balanceOut: graph.capacities[out] ?? 0n,
  };
}

/** A channel for which no fees were announced is free, and does not contradict the mediator's other one. */
function exact(tariff: Tariff | null, other: Tariff | null, range?: Range): FeeSchedule {
  if (tariff === null) return { ...FREE, capFees: other?.capFees ?? true };
  return tariffSchedule(tariff, range);
}
