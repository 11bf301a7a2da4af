/**
 * A finished run, as its reports describe it. To read one back, only the file that `writeJson` wrote is needed.
 * Amounts are in the token's smallest unit; heights and numbers of blocks, steps and messages are plain numbers,
 * because a simulated chain is short.
 */
import * as v from 'valibot';
import { parseSignedDecimal } from '../../../basics/amount.ts';

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
  /** Name of the violated invariant. */
  invariant: v.string(),
  /** Steps that were done before it was found. */
  step: count,
  block: count,
  /** Index of the node; null: the whole network. */
  node: v.nullable(count),
  /** What an honest node has lost by this; null: nothing, or not known. */
  lost: v.nullable(amount),
  text: v.string(),
  /** The last events before it, the newest last. */
  lastEvents: listOf(v.string()),
});

const node = fields({
  index: count,
  name: v.string(),
  address: v.string(),
  /** Free text of the scenario: "hub", "shop", "jammer". */
  role: v.string(),
  isHonest: v.boolean(),
  /** The node's place on the map in the scenario, in any unit; both or neither. */
  x: v.optional(finite),
  y: v.optional(finite),
  feesEarned: amount,
  gasSpentWei: amount,
  /** All tokens that the node owns: wallet, channels, user deposit. */
  wealthBefore: amount,
  wealthAfter: amount,
  /** What the node should own and does not, at least 0; not what it paid for goods, fees and services. */
  loss: amount,
  /** Finished payments that it sent, received and mediated; and its own payments that failed. */
  sent: count,
  received: count,
  mediated: count,
  failed: count,
  /** To and from other nodes, from the first block on; what gets lost is received by nobody. */
  messagesSent: count,
  messagesReceived: count,
  /** How often its process was killed. */
  kills: count,
});

const channel = fields({
  /** Indexes of the two nodes. */
  a: count,
  b: count,
  /** What each side put in, and what it took out while the channel was open. */
  depositA: amount,
  depositB: amount,
  withdrawnA: amount,
  withdrawnB: amount,
  /** What each side owned in it at the end of the run; what it got from it, if the channel was settled before. */
  endA: amount,
  endB: amount,
  /** The total amounts from a to b, and from b to a. */
  flowAB: amount,
  flowBA: amount,
  /** Transfers that went through it in either direction. */
  payments: count,
  /** What each side earned by passing payments on into it. */
  feesA: amount,
  feesB: amount,
  state: v.picklist(['open', 'closing', 'settled']),
});

/** What happened from `block` on until the next point. */
const seriesPoint = fields({
  block: count,
  started: count,
  /** Payments that ended in these blocks. */
  succeeded: count,
  failed: count,
  /** Median latency of the payments that succeeded; null: none did. */
  latencyBlocksP50: v.nullable(finite),
  /** Messages that nodes sent each other, and the payloads in which they were; of a live run only these are known. */
  messages: count,
  payloads: count,
  transactions: count,
  gasUsed: count,
  /**
   * When these blocks were over, or the run: locks that are neither unlocked nor expired, in channels that are not settled,
   * and tokens in open channels. Null: nobody looked then.
   */
  pendingLocks: v.nullable(count),
  capacity: v.nullable(amount),
  /** The same, as the mean over the open channels: 0: both sides own the same, 1: one side owns all; null: none is open. */
  imbalance: v.nullable(share),
});

const fault = fields({
  name: v.string(),
  /** The nodes that it affected: "node 3", "everybody". */
  target: v.string(),
  fromBlock: count,
  /** The last block of the fault; equal to `fromBlock` for faults that take no time. */
  toBlock: count,
  /** How often the fault took effect. */
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

const burden = fields({ spent: finite, caused: finite });
/**
 * Gas that a cheat spent and that it made honest nodes spend; of the latter, what they owed to themselves or were paid for.
 * Bytes and payloads that its keys sent to others, and others to them; locks that it gave, and rows that stay on others'
 * disks because of them; and the tokens in these locks, times the blocks for which they waited.
 */
const cheat = fields({
  name: v.string(),
  gasSpent: count,
  gasCaused: count,
  gasAllowed: count,
  bytes: burden,
  payloads: burden,
  rows: burden,
  waiting: burden,
});

export const resultSchema = fields({
  version: v.literal(1),
  scenario: fields({ name: v.string(), title: v.string(), description: v.string() }),
  seed: count,
  /** Version and commit of the program that ran; null: not known. */
  commit: v.nullable(v.string()),
  /** Hash of everything that happened: equal for equal scenario, seed and commit. */
  trace: v.string(),
  verdict: v.picklist(['passed', 'failed', 'stopped']),
  violation: v.nullable(violationSchema),
  token: fields({ symbol: v.string(), decimals: v.pipe(count, v.maxValue(255)) }),
  steps: count,
  virtualMs: count,
  /** Height of the chain at the end. */
  blocks: count,
  /** Real time that the run took: the only value that differs between two runs. */
  wallMs: v.pipe(finite, v.minValue(0)),
  nodes: listOf(node),
  channels: listOf(channel),
  /** `failed`: by the code or reason of the failure. A payment in none of these counts had not ended. */
  payments: fields({ started: count, succeeded: count, failed: counts }),
  series: listOf(seriesPoint),
  faults: listOf(fault),
  histograms: fields({
    /** From the request to pay until the answer, for payments that succeeded. */
    latencyBlocks: histogram,
    /** The same in virtual milliseconds, in steps of ten; older files have none. */
    latencyMs: v.optional(histogram, []),
    /** Messages of all nodes for a payment that succeeded. */
    latencyMessages: histogram,
    /** Blocks that a lock still had when its payee was safe; negative: too late. */
    lockSlackBlocks: histogram,
  }),
  /** With less slack than so many blocks, there is no time left to register the secret on chain. */
  dangerSlackBlocks: count,
  /** Messages that nodes sent each other from the first block on. */
  messagesByType: counts,
  transactionsByType: v.pipe(v.record(v.string(), fields({ count, gas: count })), v.readonly()),
  moments: listOf(moment),
  /** Older files have none. */
  cheats: v.optional(listOf(cheat), []),
  expectations: listOf(fields({ text: v.string(), actual: v.string(), isMet: v.boolean() })),
  invariants: listOf(fields({ number: count, name: v.string(), checks: count })),
  /** How often each fault point in the code was passed, and how often a fault struck there. */
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
