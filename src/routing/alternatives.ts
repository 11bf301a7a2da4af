/**
 * Several ways for one request, cheapest first. A way that turns out not to carry the payment, or that was
 * given before, is followed by the next cheapest: every other way leaves out at least one of its edges, so
 * that forbidding one after the other misses none.
 */
import { checkWay, type Verdict } from './check.ts';
import type { Graph } from './graph.ts';
import { beginRequest, cheapestWay, noteUse, type Scratch, type Way } from './search.ts';
import type { Question } from './weights.ts';

/**
 * Searches for one request, beside one for each way, after which there are no more: nothing else is done in the
 * meantime, and who asks for many ways without a penalty for repeating them makes nearly every search fail.
 */
const MOST_SEARCHES = 200;
/** Ways that may fail at one node before it is left out: contradictory fees of one hub hide all others. */
const PATIENCE = 16;

type Budget = { searches: number };
type Candidate = { way: Way; forbidden: readonly number[] };
export type Checked = { edges: readonly number[]; sent: bigint };

export function findWays(
  graph: Graph,
  scratch: Scratch,
  question: Question,
  mostWays: number,
): Checked[] {
  const found: Checked[] = [];
  const budget: Budget = { searches: MOST_SEARCHES };
  beginRequest(graph, scratch);
  while (found.length < mostWays) {
    const next = nextWay(graph, scratch, question, { before: found, budget });
    if (next === null) break;
    found.push(next);
    noteUse(graph, scratch, next.edges);
  }
  return found;
}

/** The cheapest way that carries the payment and is none of those before. */
function nextWay(
  graph: Graph,
  scratch: Scratch,
  question: Question,
  { before, budget }: { before: readonly Checked[]; budget: Budget },
): Checked | null {
  const candidates: Candidate[] = [];
  const failures = new Map<number, number>();
  const isTried = (node: number) => (failures.get(node) ?? 0) >= PATIENCE;
  const look = (forbidden: readonly number[]) => {
    const way = cheapestWay(graph, scratch, question, forbidden);
    if (way !== null) candidates.push({ way, forbidden });
  };
  look([]);
  for (;;) {
    const { way, forbidden } = takeCheapest(candidates) ?? {};
    if (way === undefined || forbidden === undefined) return null;
    const verdict = judge(graph, way, question.value, before);
    if (verdict.ok) return { edges: way.edges, sent: verdict.sent };
    failures.set(verdict.node, (failures.get(verdict.node) ?? 0) + 1);
    if (isTried(verdict.node)) scratch.asked[verdict.node] = -scratch.request;
    for (const edge of verdict.edges) {
      if (budget.searches <= 0) break;
      budget.searches -= 1;
      look([...forbidden, edge]);
    }
  }
}

function takeCheapest(candidates: Candidate[]): Candidate | undefined {
  let best = 0;
  for (const [at, { way }] of candidates.entries()) {
    if (way.weight < (candidates[best]?.way.weight ?? 0)) best = at;
  }
  return candidates.splice(best, 1)[0];
}

function judge(graph: Graph, way: Way, value: bigint, before: readonly Checked[]): Verdict {
  const isKnown = before.some(
    ({ edges }) =>
      edges.length === way.edges.length && edges.every((edge, at) => edge === way.edges[at]),
  );
  return isKnown ? { ok: false, edges: way.edges, node: -1 } : checkWay(graph, way.edges, value);
}
