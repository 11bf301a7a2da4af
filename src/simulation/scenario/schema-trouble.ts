/** What goes wrong in a scenario: faults of machines, and attacks. */
import * as v from 'valibot';
import { FAULT_POINTS } from '../../node/fault.ts';
import {
  blocks,
  decimal,
  list,
  maybe,
  object,
  oneOf,
  selection,
  share,
  whole,
  word,
} from './values.ts';

/** What dishonest nodes do. */
export const PLANS = [
  'random',
  'dust',
  'fee_drain',
  'free_rider',
  'front_run_registration',
  'ghost_mediator',
  'hostile_broker',
  'late_reveal',
  'lock_jamming',
  'small_settle_timeout',
  'stale_close',
  'start_end',
  'withdraw_race',
  'withheld_unlocks',
] as const;
export type Plan = (typeof PLANS)[number];

const when = v.pipe(
  object({
    atBlock: maybe(v.pipe(blocks(0), v.description('It begins here, once'))),
    rate: maybe(
      v.pipe(share, v.description('Chance at each block, for each node, that it begins')),
    ),
    blocks: v.optional(
      v.pipe(blocks(1), v.description('How long it lasts; a killed node starts again after them')),
      1,
    ),
    fromBlock: maybe(v.pipe(blocks(0), v.description('With rate'))),
    untilBlock: maybe(
      v.pipe(blocks(1), v.description('With rate; absent: where the calm phase begins')),
    ),
  }),
  v.title('schedule'),
  v.rawTransform<When, Schedule>(({ dataset, addIssue, NEVER }) => {
    const { atBlock, rate, blocks, fromBlock, untilBlock } = dataset.value;
    if (atBlock !== null && rate === null && fromBlock === null && untilBlock === null)
      return { kind: 'once', atBlock, blocks };
    if (atBlock === null && rate !== null)
      return { kind: 'rate', rate, blocks, fromBlock: fromBlock ?? 0n, untilBlock };
    addIssue({ message: 'must have at_block, or rate with from_block and until_block if need be' });
    return NEVER;
  }),
);
type When = {
  atBlock: bigint | null;
  rate: number | null;
  blocks: bigint;
  fromBlock: bigint | null;
  untilBlock: bigint | null;
};
/** When a fault is there. `untilBlock` is exclusive; null: until the calm phase. */
export type Schedule =
  | { kind: 'once'; atBlock: bigint; blocks: bigint }
  | { kind: 'rate'; rate: number; blocks: bigint; fromBlock: bigint; untilBlock: bigint | null };

/** A fault that single nodes have. */
function ofNodes<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  entries: Entries,
) {
  return object({ kind: v.literal(kind), nodes: v.optional(selection, 'all'), when, ...entries });
}

/** A fault of what all share. */
function ofAll<const Kind extends string, const Entries extends v.ObjectEntries>(
  kind: Kind,
  entries: Entries,
) {
  return object({ kind: v.literal(kind), when, ...entries });
}

const milliseconds = whole(0, 86_400_000);

/** A closed list: a fault that is not carried out everywhere must not compile. */
const fault = oneOf('kind', [
  ofNodes('kill', {}),
  /** Two that have a channel with each other, at once. */
  ofNodes('kill_pair', {}),
  ofNodes('pause', {}),
  ofNodes('restart', {}),
  ofNodes('kill_at', {
    point: word(FAULT_POINTS),
    nth: v.optional(
      v.pipe(whole(1, 1_000_000), v.description('Time that the node comes there')),
      1,
    ),
  }),
  ofNodes('disk_full', {}),
  ofNodes('disk_slow', { ms: milliseconds }),
  ofNodes('disk_torn', {}),
  ofNodes('disk_lost_writes', { commits: whole(1, 10_000) }),
  ofNodes('disk_old_copy', {
    age: v.pipe(blocks(1), v.description('Of the copy that is put back')),
  }),
  ofNodes('loss', { share }),
  ofNodes('repeats', { share }),
  ofNodes('delay', { leastMs: v.optional(milliseconds, 0), mostMs: milliseconds }),
  ofNodes('reorder', { window: v.pipe(whole(2, 1_000), v.description('Payloads')) }),
  ofAll('partition', {
    groups: v.pipe(
      v.array(selection, 'must be a list of groups'),
      v.minLength(2, 'must be at least two groups'),
      v.maxLength(20, 'must be at most 20 groups'),
    ),
  }),
  ofNodes('deaf', {}),
  ofAll('broker_down', {}),
  ofAll('hostile_broker', {}),
  ofNodes('stale_head', { lag: v.pipe(blocks(1, 10_000), v.description('Blocks behind')) }),
  ofNodes('missing_logs', {}),
  ofNodes('unreachable', {}),
  ofNodes('no_gas', {}),
  ofAll('reorganisation', { depth: blocks(1, 100) }),
  ofAll('full_blocks', { share }),
  ofAll('price_spike', { factor: decimal(1, 10_000) }),
]);
export const FAULT_KINDS = fault.options.map(({ entries }) => entries.kind.literal);
export type Fault = v.InferOutput<typeof fault>;
export const faultList = list(fault, 1_000);

const attack = object({
  plan: word(PLANS),
  nodes: v.pipe(selection, v.description('Who attacks')),
  victims: v.optional(selection, 'all'),
  fromBlock: v.optional(blocks(0), 0),
});
export type Attack = v.InferOutput<typeof attack>;
export const attackList = list(attack, 100);
