/** What goes wrong in a scenario: faults, and attacks. */

import * as v from 'valibot';
import { FAULT_POINTS } from '../../../basics/fault.ts';
import { readBy } from '../../../protocol/shapes.ts';
import { moveList } from './moves.ts';
import { PLANS } from './plans.ts';
import {
  blockAt,
  blocks,
  decimal,
  list,
  MOST_BLOCKS,
  maybe,
  object,
  oneOf,
  selection,
  share,
  tag,
  whole,
  word,
} from './values.ts';

const CALLS = ['close', 'update', 'settlement', 'unlock', 'registration', 'withdrawal'] as const;
export type SeenCall = (typeof CALLS)[number];
/** What a fault may wait for: that a node sends such a transaction, that it is mined, or that a standby takes over. */
export const OCCASIONS = [
  ...CALLS.flatMap((call) => [`${call}_sent`, `${call}_mined`] as const),
  'takeover',
] as const;
export type Occasion = (typeof OCCASIONS)[number];

const when = v.pipe(
  object({
    atBlock: maybe(blockAt('It begins here, once')),
    after: maybe(
      v.pipe(
        word(OCCASIONS),
        v.description('It begins within a block, once, when one of its nodes does this'),
      ),
    ),
    nth: maybe(v.pipe(whole(1, 1_000_000), v.description('With after; absent: the first time'))),
    rate: maybe(
      v.pipe(share, v.description('Chance at each block, and for each node, that it begins')),
    ),
    blocks: v.optional(
      blocks(1, MOST_BLOCKS, 'How long it lasts; a process that died starts again after them'),
      1,
    ),
    fromBlock: maybe(blockAt('With rate; absent: from the beginning')),
    untilBlock: maybe(blockAt('With rate; absent: until the calm phase')),
  }),
  v.title('schedule'),
  readBy(({ atBlock, after, nth, rate, blocks, fromBlock, untilBlock }: When): Schedule | null => {
    const isRated = rate !== null || fromBlock !== null || untilBlock !== null;
    if (atBlock !== null && after === null && nth === null && !isRated)
      return { kind: 'once', atBlock, blocks };
    if (after !== null && atBlock === null && !isRated)
      return { kind: 'after', occasion: after, nth: nth ?? 1, blocks };
    if (rate !== null && atBlock === null && after === null && nth === null)
      return { kind: 'rate', rate, blocks, fromBlock: fromBlock ?? 0n, untilBlock };
    return null;
  }, 'must have at_block, or after, or rate with from_block and until_block if need be'),
);
type When = {
  atBlock: bigint | null;
  after: Occasion | null;
  nth: number | null;
  rate: number | null;
  blocks: bigint;
  fromBlock: bigint | null;
  untilBlock: bigint | null;
};
/** When a fault is active. `untilBlock` is exclusive; null: until the calm phase. */
export type Schedule =
  | { kind: 'once'; atBlock: bigint; blocks: bigint }
  | { kind: 'after'; occasion: Occasion; nth: number; blocks: bigint }
  | { kind: 'rate'; rate: number; blocks: bigint; fromBlock: bigint; untilBlock: bigint | null };

/** A fault of single nodes. `what` is for the documentation. */
function ofNodes<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  what: string,
  entries: Entries,
) {
  return object({ kind: tag(kind, what), nodes: v.optional(selection, 'all'), when, ...entries });
}

/** A fault of what all nodes share. */
function ofAll<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  what: string,
  entries: Entries,
) {
  return object({ kind: tag(kind, what), when, ...entries });
}

const MOST_CLOCK_MS = 86_400_000;
const milliseconds = v.pipe(whole(0, 86_400_000), v.title('milliseconds'));
const groups = v.pipe(
  v.array(selection, 'must be a list of groups'),
  v.minLength(2, 'must be at least two groups'),
  v.maxLength(20, 'must be at most 20 groups'),
);

const processFaults = [
  ofNodes('kill', 'The process dies without any farewell', {}),
  ofNodes('kill_pair', 'It and one of its partners die at once', {}),
  ofNodes('pause', 'The process stands still and goes on as if no time had passed', {}),
  ofNodes('restart', 'It stops in an orderly way and starts again', {}),
  ofNodes('second_process', 'Another process is started with the same key and an empty disk', {}),
  ofNodes('wrong_clock', 'The clock of the machine is so much ahead, or behind if negative', {
    ms: v.pipe(whole(-MOST_CLOCK_MS, MOST_CLOCK_MS), v.title('milliseconds')),
  }),
  ofNodes('failing_listener', 'Whoever follows the feed and the journal fails each time', {}),
  ofNodes('kill_at', 'The process dies when it comes to a point of its code', {
    point: word(FAULT_POINTS),
    nth: v.optional(whole(1, 1_000_000), 1),
  }),
] as const;

const diskFaults = [
  ofNodes('disk_full', 'Nothing can be written', {}),
  ofNodes('disk_slow', 'Each write takes so long, and nothing is done meanwhile', {
    ms: milliseconds,
  }),
  ofNodes('disk_late', 'The disk has each write only later; whoever dies before may lose it', {
    ms: milliseconds,
  }),
  ofNodes('disk_torn', 'The process dies in the middle of a write', {}),
  ofNodes('disk_lost_writes', 'The process dies, and the last writes were never on disk', {
    commits: whole(1, 10_000),
  }),
  ofNodes('disk_old_copy', 'The process dies, and a copy of its disk is put back', {
    age: blocks(1),
    isNoted: v.optional(
      v.pipe(
        v.boolean('must be true or false'),
        v.description('What stands beside the database tells that it is old'),
      ),
      true,
    ),
  }),
] as const;

/** They strike replicated nodes only: those with a `standby`. */
const replicaFaults = [
  ofNodes('stream_away', 'The machine that runs the node cannot reach its stream', {}),
  ofNodes('stream_late', 'What it sends to its stream arrives so much later', { ms: milliseconds }),
  ofNodes('stream_silent', 'This share of the answers of its stream is lost', { share }),
  ofNodes('takeover', 'Its standby is told to take over', {}),
  ofNodes('machine_lost', 'Its machine is gone with its disk; an empty one comes in its place', {}),
] as const;

const networkFaults = [
  ofNodes('loss', 'Of the messages that these nodes send and get, this share is lost', { share }),
  ofNodes('repeats', 'This share of them comes twice', { share }),
  ofNodes('delay', 'They come later', {
    leastMs: v.optional(milliseconds, 0),
    mostMs: milliseconds,
  }),
  ofNodes('reorder', 'Half of them come late, so that about so many others overtake them', {
    window: whole(2, 1_000),
  }),
  ofNodes('deaf', 'They hear nothing, but are heard', {}),
  ofAll('partition', 'No message passes between the groups', { groups }),
  ofAll('broker_down', 'Nobody is connected', {}),
  ofAll('path_finding_down', 'No path-finding service answers', {}),
  ofAll('hostile_broker', 'It repeats, changes, swaps and forges messages', {}),
] as const;

const chainFaults = [
  ofNodes('stale_head', 'The endpoint of these nodes is behind', { lag: blocks(1, 10_000) }),
  ofNodes('frozen_head', 'It learns of no further block', {}),
  ofNodes('missing_logs', 'It leaves out logs', {}),
  ofNodes('unreachable', 'It does not answer', {}),
  ofNodes('censored', 'No block takes their transactions', {}),
  ofNodes('failing_calls', 'This share of its answers are failures', { share }),
  ofNodes('refused_calls', 'It says of every transaction that it would fail', {}),
  ofNodes('short_log_ranges', 'It gives logs of few blocks at once', { most: blocks(1, 10_000) }),
  ofNodes('wrong_receipts', 'It answers with the receipts of other transactions', {}),
  ofNodes('no_gas', 'They have no money for gas', {}),
  ofNodes('foreign_transaction', 'Somebody else uses their account: it waits, and vanishes', {}),
  ofAll('hostile_token', 'The token fails in blocks when contracts pay somebody out', {
    burns: maybe(v.pipe(whole(1, 30_000_000), v.description('Gas, in place of failing'))),
  }),
  ofAll('reorganisation', 'The last blocks are replaced by others', { depth: blocks(1, 100) }),
  ofAll('full_blocks', 'Others fill this share of each block', { share }),
  ofAll('price_spike', 'Gas costs so many times as much', { factor: decimal(1, 10_000) }),
] as const;

/** A closed list: code that does not handle one of the faults must not compile. */
const fault = oneOf('kind', [
  ...processFaults,
  ...diskFaults,
  ...replicaFaults,
  ...networkFaults,
  ...chainFaults,
]);
export const FAULT_KINDS = fault.options.map(({ entries }) => entries.kind.literal);
export type Fault = v.InferOutput<typeof fault>;
export const faultList = list(fault, 1_000);

const attack = object({
  plan: v.pipe(word(PLANS), v.title('plan')),
  nodes: selection,
  victims: v.optional(selection, 'all'),
  fromBlock: v.optional(blockAt(), 0),
  moves: moveList,
});
export const attackList = list(attack, 100);
