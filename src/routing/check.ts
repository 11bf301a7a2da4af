/** Whether a way that was found really carries the payment: exact fees and amounts, from the target backwards. */
import { amountWithFees, type FeeSchedule } from '../protocol/fees.ts';
import { type Graph, sourceOf } from './graph.ts';
import { scheduleOf, type Tariff } from './tariff.ts';

const FREE: FeeSchedule = { flat: 0n, proportional: 0n, imbalancePenalty: null, capFees: true };

/** `edges` of a refusal: no way with all of these can carry the amount. `node`: who could not pass it on. */
export type Verdict = { ok: true; sent: bigint } | { ok: false; edges: number[]; node: number };

/** `sent`: what the initiator must send for the target to get `value`, without a margin. */
export function checkWay(graph: Graph, edges: readonly number[], value: bigint): Verdict {
  let amount = value;
  for (let at = edges.length - 1; at >= 0; at--) {
    const out = edges[at] ?? 0;
    const node = sourceOf(graph, out);
    if ((graph.capacities[out] ?? 0n) < amount) return { ok: false, edges: edges.slice(at), node };
    const into = edges[at - 1];
    if (into === undefined) break;
    const before = amountWithFees(mediation(graph, into, out), amount);
    if (before === null) return { ok: false, edges: edges.slice(at - 1), node };
    amount = before;
  }
  return { ok: true, sent: amount };
}

/** The mediator between two edges; its balances are what it can send there. */
function mediation(graph: Graph, into: number, out: number) {
  const [tariffIn, tariffOut] = [graph.tariffs[into ^ 1] ?? null, graph.tariffs[out] ?? null];
  return {
    scheduleIn: exact(tariffIn, tariffOut),
    scheduleOut: exact(tariffOut, tariffIn),
    balanceIn: graph.capacities[into ^ 1] ?? 0n,
    receivable: graph.capacities[into] ?? 0n,
    balanceOut: graph.capacities[out] ?? 0n,
  };
}

/** A channel of which nothing was said is free, and does not contradict the mediator's other one. */
function exact(tariff: Tariff | null, other: Tariff | null): FeeSchedule {
  return tariff === null ? { ...FREE, capFees: other?.capFees ?? true } : scheduleOf(tariff);
}
