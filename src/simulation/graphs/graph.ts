/** A graph of channels from elsewhere: what the readers of this folder make of files. */
import type { NamedChannel, SideTerms } from '../scenario/importing/channel-list.ts';

export type Graph = {
  /** Nodes with channels, and nodes without. */
  nodes: number;
  /** Two nodes may have several. */
  channels: NamedChannel[];
  token: { symbol: string; decimals: number };
  /** What was left out or changed, a sentence each. */
  notes: string[];
};
export type GraphResult =
  | { ok: true; graph: Graph }
  /** At most `MOST_PROBLEMS`, each beginning with its place. */
  | { ok: false; problems: string[] };

/** The bytes of a file, piece by piece. */
export type Pieces = AsyncIterable<Uint8Array>;

/** Bitcoin; its smallest unit here is a millisatoshi, in which fees are stated. */
export const BITCOIN = { symbol: 'BTC', decimals: 11 };
export const NO_TERMS: SideTerms = { flat: null, proportional: null, revealTimeout: null };

const MOST_PROBLEMS = 20;
const MOST_LETTERS = 300;
/** No graph of channels has as many. */
const MOST_ITEMS = 2_000_000;

/** Gathers what is wrong with a file; reading it on is of no use when `isFull`. */
export function createProblems() {
  const problems: string[] = [];
  let items = 0;
  return {
    /** What strangers wrote in a file may be long. */
    add: (problem: string) => void problems.push(problem.slice(0, MOST_LETTERS)),
    /** Counts what is read, also lines that say nothing; a file with too much is refused. */
    count() {
      items += 1;
      if (items === MOST_ITEMS + 1)
        problems.push(`has more than ${MOST_ITEMS} nodes and channels: cut it before`);
    },
    isFull: () => problems.length >= MOST_PROBLEMS || items > MOST_ITEMS,
    /** The graph, unless anything is wrong. */
    resultOf(graph: Graph): GraphResult {
      if (problems.length === 0 && graph.channels.length === 0) problems.push('has no channel');
      return problems.length === 0
        ? { ok: true, graph }
        : { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
    },
  };
}
export type Problems = ReturnType<typeof createProblems>;
