/** Reads what `lncli describegraph` prints: the public channels of Lightning, with what each side asks for. */
import * as v from 'valibot';
import { parseDecimal } from '../../basics/amount.ts';
import { printable } from '../../basics/printable.ts';
import {
  isName,
  MOST_PROPORTIONAL,
  MOST_REVEAL_TIMEOUT,
  type NamedChannel,
  type SideTerms,
} from '../scenario/importing/channel-list.ts';
import { BITCOIN, createProblems, type GraphResult, NO_TERMS, type Pieces } from './graph.ts';
import { readItems } from './json-items.ts';

const whole = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform((given) => parseDecimal(String(given), 19)),
  v.bigint(),
);
const key = v.pipe(v.string(), v.check(isName));
const policyShape = v.object({
  fee_base_msat: v.optional(whole, 0),
  /** Parts per million. */
  fee_rate_milli_msat: v.optional(whole, 0),
  time_lock_delta: v.optional(whole, 0),
  disabled: v.optional(v.boolean(), false),
});
const nodeShape = v.object({ pub_key: key });
const edgeShape = v.object({
  node1_pub: key,
  node2_pub: key,
  /** In satoshi. */
  capacity: whole,
  node1_policy: v.nullish(policyShape),
  node2_policy: v.nullish(policyShape),
});
const LISTS = ['nodes', 'edges'];
/** Parts of the file that are named to people. */
const MOST_PARTS = 10;
const REQUIRED = ['node1_pub', 'node2_pub', 'capacity'];
type Policy = v.InferOutput<typeof policyShape>;
type Edge = v.InferOutput<typeof edgeShape>;

const MILLI = 1_000n;

export async function readDescribegraph(pieces: Pieces): Promise<GraphResult> {
  const problems = createProblems();
  const nodes = new Set<string>();
  const edges: { edge: Edge; number: number }[] = [];
  const parts = new Set<string>();
  const wrong = await readItems(pieces, {
    lists: LISTS,
    isOver: problems.isFull,
    onPart(name) {
      problems.count();
      if (parts.size < MOST_PARTS || LISTS.includes(name)) parts.add(printable(name));
    },
    onItem(list, item, number) {
      problems.count();
      const read = v.safeParse(list === 'nodes' ? nodeShape : edgeShape, item);
      if (!read.success)
        problems.add(`object ${number} of ${list}: ${problemOf(read.issues[0], item)}`);
      else if ('pub_key' in read.output) nodes.add(read.output.pub_key);
      else edges.push({ edge: read.output, number });
    },
  });
  if (wrong !== null) problems.add(`${wrong}; give what "lncli describegraph" printed`);
  else if (!parts.has('edges') && !problems.isFull())
    problems.add(`has no list "edges", only ${printable([...parts].join(', '))}`);
  const isListed = parts.has('nodes');
  for (const { edge, number } of edges) {
    const { node1_pub: a, node2_pub: b } = edge;
    if (!isListed) nodes.add(a).add(b);
    const unknown = [a, b].find((end) => !nodes.has(end));
    if (unknown !== undefined)
      problems.add(`object ${number} of edges: there is no node ${unknown} among the nodes`);
    else if (a === b) problems.add(`object ${number} of edges: ${a} has a channel with itself`);
    if (problems.isFull()) break;
  }
  const used = edges.filter(({ edge }) => !isDisabled(edge)).map(({ edge }) => channelOf(edge));
  const notes = notesOf(edges.map(({ edge }) => edge));
  return problems.resultOf({ nodes: nodes.size, channels: used, token: BITCOIN, notes });
}

function problemOf(issue: v.BaseIssue<unknown>, item: unknown): string {
  const path = v.getDotPath(issue) ?? 'it';
  const problem = `${path} is missing, or is not as lnd writes it`;
  const names = Object.keys(Object(item));
  if (path in edgeShape.entries && !names.includes(path))
    return `${problem}: it has ${printable(names.join(', '))}, and must have ${REQUIRED.join(', ')}`;
  return problem;
}

/** Nobody pays through a channel that both sides have turned off. */
function isDisabled({ node1_policy, node2_policy }: Edge): boolean {
  return node1_policy?.disabled === true && node2_policy?.disabled === true;
}

function channelOf({ node1_pub, node2_pub, capacity, node1_policy, node2_policy }: Edge) {
  return {
    a: node1_pub,
    b: node2_pub,
    // Who has how much of it nobody but the two knows.
    capacity: { total: capacity * MILLI },
    termsA: termsOf(node1_policy),
    termsB: termsOf(node2_policy),
  } satisfies NamedChannel;
}

function termsOf(policy: Policy | null | undefined): SideTerms {
  if (policy == null) return NO_TERMS;
  const { fee_base_msat, fee_rate_milli_msat, time_lock_delta } = policy;
  return {
    flat: fee_base_msat,
    proportional: atMost(MOST_PROPORTIONAL, fee_rate_milli_msat),
    revealTimeout: time_lock_delta === 0n ? null : atMost(MOST_REVEAL_TIMEOUT, time_lock_delta),
  };
}

function atMost(most: bigint, value: bigint): bigint {
  return value < most ? value : most;
}

function notesOf(edges: readonly Edge[]): string[] {
  const disabled = edges.filter(isDisabled).length;
  const policies = edges.flatMap(({ node1_policy, node2_policy }) => [node1_policy, node2_policy]);
  const dear = policies.filter((policy) => (policy?.fee_rate_milli_msat ?? 0n) > MOST_PROPORTIONAL);
  return [
    ...(disabled === 0
      ? []
      : [`left out besides: channels that both sides have turned off: ${disabled}`]),
    ...(dear.length === 0 ? [] : [`fees above 100 % count as 100 %: ${dear.length}`]),
  ];
}
