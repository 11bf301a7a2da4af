/**
 * Several routes for one request, cheapest first. When a route does not really carry the payment, or was given
 * before, the next cheapest is sought: every other route leaves out at least one of its edges, so forbidding its
 * edges one after the other misses no route.
 */
import { checkRoute, type RouteCheck } from './check.ts';
import type { ChannelGraph } from './graph.ts';
import { beginRequest, cheapestRoute, noteUse, type Scratch, type WeighedRoute } from './search.ts';
import type { WeightQuestion } from './weights.ts';

/**
 * Most searches for one request, besides one for each route. The process does nothing else meanwhile, and a request
 * for many routes without a penalty for repeating them makes nearly every search fail.
 */
const MOST_SEARCHES = 200;
/**
 * Routes that may fail at one node before the node is left out: otherwise one hub with contradictory fees would hide
 * all other routes.
 */
const PATIENCE = 16;

type Budget = { searches: number };
type Candidate = { route: WeighedRoute; forbidden: readonly number[] };
export type CheckedPath = { edges: readonly number[]; sent: bigint };

export function findRoutes(
  graph: ChannelGraph,
  scratch: Scratch,
  question: WeightQuestion,
  mostRoutes: number,
): CheckedPath[] {
  const found: CheckedPath[] = [];
  const budget: Budget = { searches: MOST_SEARCHES };
  beginRequest(graph, scratch);
  while (found.length < mostRoutes) {
    const next = nextRoute(graph, scratch, question, { before: found, budget });
    if (next === null) break;
    found.push(next);
    noteUse(graph, scratch, next.edges);
  }
  return found;
}

/** The cheapest route that carries the payment and was not found before. */
function nextRoute(
  graph: ChannelGraph,
  scratch: Scratch,
  question: WeightQuestion,
  { before, budget }: { before: readonly CheckedPath[]; budget: Budget },
): CheckedPath | null {
  const candidates: Candidate[] = [];
  const failures = new Map<number, number>();
  const isTried = (node: number) => (failures.get(node) ?? 0) >= PATIENCE;
  const look = (forbidden: readonly number[]) => {
    const route = cheapestRoute(graph, scratch, question, forbidden);
    if (route !== null) candidates.push({ route, forbidden });
  };
  look([]);
  for (;;) {
    const { route, forbidden } = takeCheapest(candidates) ?? {};
    if (route === undefined || forbidden === undefined) return null;
    const verdict = judge(graph, route, question.value, before);
    if (verdict.ok) return { edges: route.edges, sent: verdict.sent };
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
  for (const [at, { route }] of candidates.entries()) {
    if (route.weight < (candidates[best]?.route.weight ?? 0)) best = at;
  }
  return candidates.splice(best, 1)[0];
}

function judge(
  graph: ChannelGraph,
  route: WeighedRoute,
  value: bigint,
  before: readonly CheckedPath[],
): RouteCheck {
  const isKnown = before.some(
    ({ edges }) =>
      edges.length === route.edges.length && edges.every((edge, at) => edge === route.edges[at]),
  );
  return isKnown
    ? { ok: false, edges: route.edges, node: -1 }
    : checkRoute(graph, route.edges, value);
}
