/**
 * A finished run as its reports tell of it. Reading one back needs the file that `writeJson` wrote and nothing
 * of the simulator. Amounts are in the token's smallest unit; heights and numbers of blocks, of steps and of
 * messages are plain numbers, because a simulated chain is short.
 */
import * as v from 'valibot';
import { parseSignedDecimal } from '../../protocol/amount.ts';

/** Sums of many amounts may be longer than one amount of 256 bits. */
const MAX_DIGITS = 90;

const amount = v.pipe(
  v.string(),
  v.check((text) => parseSignedDecimal(text, MAX_DIGITS) !== null, 'no whole number'),
  v.transform((text) => BigInt(text)),
);
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const finite = v.pipe(v.number(), v.finite());
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const counts = v.pipe(v.record(v.string(), count), v.readonly());

function fields<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(v.object(entries), v.readonly());
}

function listOf<const Item extends v.GenericSchema>(item: Item) {
  return v.pipe(v.array(item), v.readonly());
}

export const violationSchema = fields({
  /** Name of the invariant that broke. */
  invariant: v.string(),
  /** Steps that were done before the moment in which it was found. */
  step: count,
  block: count,
  /** Index of the node; null: the whole network. */
  node: v.nullable(count),
  /** What an honest node has lost by it; null: nothing, or not told. */
  lost: v.nullable(amount),
  text: v.string(),
  /** What happened before, the newest last. */
  lastEvents: listOf(v.string()),
});

const node = fields({
  index: count,
  name: v.string(),
  address: v.string(),
  /** Free text of the scenario: "hub", "shop", "jammer". */
  role: v.string(),
  isHonest: v.boolean(),
  /** Where the scenario puts it on the map, in any unit; both or neither. */
  x: v.optional(finite),
  y: v.optional(finite),
  feesEarned: amount,
  gasSpentWei: amount,
  /** All that the node owns in tokens: wallet, channels, user deposit. */
  wealthBefore: amount,
  wealthAfter: amount,
  /** What it should own and does not, at least 0: not what it paid for goods, fees and services. */
  loss: amount,
  /** Payments that it sent, received and passed on to the end; those of its own that failed. */
  sent: count,
  received: count,
  mediated: count,
  failed: count,
  messagesSent: count,
  messagesReceived: count,
  /** How often its process was killed. */
  kills: count,
});

const channel = fields({
  /** Indexes of the two nodes. */
  a: count,
  b: count,
  depositA: amount,
  depositB: amount,
  /** What each side owned at the end of the run or, if that was earlier, of the channel. */
  endA: amount,
  endB: amount,
  /** All that went from a to b, and back. */
  flowAB: amount,
  flowBA: amount,
  /** Transfers that went through it in either direction. */
  payments: count,
  state: v.picklist(['open', 'closing', 'settled']),
});

/** What happened from `block` on, until the next point. */
const seriesPoint = fields({
  block: count,
  started: count,
  /** Payments that ended so, in these blocks. */
  succeeded: count,
  failed: count,
  /** Median of the payments that succeeded; null: none did. */
  latencyBlocksP50: v.nullable(finite),
  messages: count,
  transactions: count,
  gasUsed: count,
  /** At the end of these blocks: locks that are neither unlocked nor expired; tokens in open channels. */
  pendingLocks: count,
  capacity: amount,
  /** At the end, mean of the open channels: 0 both sides own the same, 1 one side owns all. */
  imbalance: share,
});

const fault = fields({
  name: v.string(),
  /** Whom it hit: "node 3", "everybody". */
  target: v.string(),
  fromBlock: count,
  /** The last block of it; equal to `fromBlock` for what takes no time. */
  toBlock: count,
  /** How often it did something. */
  hits: count,
});

/** How often each value was seen, ascending by value. */
const histogram = listOf(fields({ value: finite, count }));

const moment = fields({
  block: count,
  step: count,
  severity: v.picklist(['info', 'bad', 'worst']),
  node: v.nullable(count),
  text: v.string(),
});

export const resultSchema = fields({
  version: v.literal(1),
  scenario: fields({ name: v.string(), title: v.string(), description: v.string() }),
  seed: count,
  /** Of the program that ran; null: not known. */
  commit: v.nullable(v.string()),
  /** Hash of all that happened: equal for equal scenario, seed and commit. */
  trace: v.string(),
  verdict: v.picklist(['passed', 'failed', 'stopped']),
  violation: v.nullable(violationSchema),
  token: fields({ symbol: v.string(), decimals: v.pipe(count, v.maxValue(255)) }),
  steps: count,
  virtualMs: count,
  /** Height of the chain at the end. */
  blocks: count,
  /** What the run took on the machine that ran it: the only thing here that differs between two runs. */
  wallMs: v.pipe(finite, v.minValue(0)),
  nodes: listOf(node),
  channels: listOf(channel),
  /** `failed`: by the code or reason of the failure. What is in none of the counts had not ended. */
  payments: fields({ started: count, succeeded: count, failed: counts }),
  series: listOf(seriesPoint),
  faults: listOf(fault),
  histograms: fields({
    /** From the order to pay until the answer, of payments that succeeded. */
    latencyBlocks: histogram,
    /** The same in milliseconds of the network's own time, in steps of ten; older files have none. */
    latencyMs: v.optional(histogram, []),
    /** Messages of all nodes that a payment took which succeeded. */
    latencyMessages: histogram,
    /** Blocks that a lock still had when its payee was safe, negative: too late. */
    lockSlackBlocks: histogram,
  }),
  /** Less slack than so many blocks leaves no time to register the secret on chain. */
  dangerSlackBlocks: count,
  messagesByType: counts,
  transactionsByType: v.pipe(v.record(v.string(), fields({ count, gas: count })), v.readonly()),
  moments: listOf(moment),
  expectations: listOf(fields({ text: v.string(), actual: v.string(), isMet: v.boolean() })),
  invariants: listOf(fields({ number: count, name: v.string(), checks: count })),
  /** How often each place in the code at which a fault may strike was passed or struck. */
  faultPoints: counts,
});

export type RunResult = v.InferOutput<typeof resultSchema>;
export type Verdict = RunResult['verdict'];
export type Violation = v.InferOutput<typeof violationSchema>;
export type NodeResult = v.InferOutput<typeof node>;
export type ChannelResult = v.InferOutput<typeof channel>;
export type SeriesPoint = v.InferOutput<typeof seriesPoint>;
export type FaultPeriod = v.InferOutput<typeof fault>;
export type Histogram = v.InferOutput<typeof histogram>;
export type Moment = v.InferOutput<typeof moment>;
export type Token = RunResult['token'];
