/**
 * A finished run, as its reports describe it. Amounts are in the token's smallest unit; heights and numbers of blocks,
 * steps and messages are plain numbers, because a simulated chain is short.
 */
export type Violation = Readonly<{
  /** Number and name of the violated invariant. */
  invariant: string;
  /** Steps that were done before it was found. */
  step: number;
  block: number;
  /** Index of the node; null: the whole network. */
  node: number | null;
  /** What an honest node has lost by this; null: nothing, or not known. */
  lost: bigint | null;
  text: string;
  /** The last events before it, the newest last. */
  lastEvents: readonly string[];
}>;

export type NodeResult = Readonly<{
  index: number;
  name: string;
  address: string;
  /** Free text of the scenario: "hub", "shop", "jammer". */
  role: string;
  isHonest: boolean;
  feesEarned: bigint;
  /** What it paid beyond the amounts of its payments that arrived: fees, and what mediators left of them to payees. */
  feesPaid: bigint;
  /** What it locked for its own payments and for others, times the blocks until each lock was paid or taken back. */
  lockedBlocks: number;
  gasSpentWei: bigint;
  /** All tokens that the node owns: wallet, channels, user deposit. */
  wealthBefore: bigint;
  wealthAfter: bigint;
  /** What the node should own and does not, at least 0; not what it paid for goods, fees and services. */
  loss: bigint;
  /** Payments that it wrote down as sent, received and mediated; and those that failed for whoever asked it to pay. */
  sent: number;
  received: number;
  mediated: number;
  failed: number;
  /** To and from other nodes, from the first block on; what gets lost is received by nobody. */
  messagesSent: number;
  messagesReceived: number;
  /** How often its process was killed. */
  kills: number;
}>;

export type ChannelResult = Readonly<{
  /** Indexes of the two nodes. */
  a: number;
  b: number;
  /** What each side had when the scenario began; null: the channel was opened later. */
  beginA: bigint | null;
  beginB: bigint | null;
  /** What each side put in, and what it took out while the channel was open. */
  depositA: bigint;
  depositB: bigint;
  withdrawnA: bigint;
  withdrawnB: bigint;
  /** What each side owned in it at the end of the run; what it got from it, if the channel was settled before. */
  endA: bigint;
  endB: bigint;
  /** The total amounts from a to b, and from b to a. */
  flowAB: bigint;
  flowBA: bigint;
  /** Transfers that went through it in either direction. */
  payments: number;
  /** What each side earned by passing payments on into it. */
  feesA: bigint;
  feesB: bigint;
  state: 'open' | 'closing' | 'settled';
}>;

/** What happened from `block` on until the next point. */
export type SeriesPoint = Readonly<{
  block: number;
  started: number;
  /** Payments that ended in these blocks. */
  succeeded: number;
  failed: number;
  /** Median latency of the payments that succeeded; null: none did. */
  latencyBlocksP50: number | null;
  /** Messages that nodes sent each other, and the payloads in which they were; of a live run only these are known. */
  messages: number;
  payloads: number;
  transactions: number;
  gasUsed: number;
  /**
   * When these blocks were over, or the run: locks that are neither unlocked nor expired, in channels that are not settled,
   * and tokens in open channels. Null: nobody looked then.
   */
  pendingLocks: number | null;
  capacity: bigint | null;
  /** The same, as the mean over the open channels: 0: both sides own the same, 1: one side owns all; null: none is open. */
  imbalance: number | null;
}>;

export type FaultPeriod = Readonly<{
  name: string;
  /** The nodes that it affected: "node 3", "everybody". */
  target: string;
  fromBlock: number;
  /** The last block of the fault; equal to `fromBlock` for faults that take no time. */
  toBlock: number;
  /** How often the fault took effect. */
  hits: number;
}>;

/** How often each value was seen, ascending by value. */
export type Histogram = readonly Readonly<{ value: number; count: number }>[];

type Burden = Readonly<{ spent: number; caused: number }>;
/**
 * Gas that a cheat spent and that it made honest nodes spend; of the latter, what they owed to themselves or were paid for.
 * Bytes and payloads that its keys sent to others, and others to them; locks that it gave, and rows that stay on others'
 * disks because of them; the tokens in these locks, times the blocks for which they waited; and how many of its locks nobody
 * was paid by before they expired.
 */
type CheatResult = Readonly<{
  name: string;
  gasSpent: number;
  gasCaused: number;
  gasAllowed: number;
  bytes: Burden;
  payloads: Burden;
  rows: Burden;
  waiting: Burden;
  ranOut: number;
}>;

type Counts = Readonly<Record<string, number>>;
export type Token = Readonly<{ symbol: string; decimals: number }>;
export type Verdict = 'passed' | 'failed' | 'stopped';

export type RunResult = Readonly<{
  version: 1;
  scenario: Readonly<{ name: string; title: string; description: string }>;
  seed: number;
  /** Version and commit of the program that ran; null: not known. */
  commit: string | null;
  /** Hash of everything that happened: equal for equal scenario, seed and commit. */
  trace: string;
  verdict: Verdict;
  violation: Violation | null;
  token: Token;
  steps: number;
  virtualMs: number;
  /** Height of the chain at the end. */
  blocks: number;
  /** Real time that the run took: the only value that differs between two runs. */
  wallMs: number;
  nodes: readonly NodeResult[];
  channels: readonly ChannelResult[];
  /** `failed`: by the code or reason of the failure. A payment in none of these counts had not ended. */
  payments: Readonly<{ started: number; succeeded: number; failed: Counts }>;
  series: readonly SeriesPoint[];
  faults: readonly FaultPeriod[];
  histograms: Readonly<{
    /** From the request to pay until the answer, for payments that succeeded. */
    latencyBlocks: Histogram;
    /** The same in virtual milliseconds, in steps of ten. */
    latencyMs: Histogram;
    /** Messages of all nodes for a payment that succeeded. */
    latencyMessages: Histogram;
    /** Blocks that a lock still had when its payee was safe; negative: too late. */
    lockSlackBlocks: Histogram;
  }>;
  /** With less slack than so many blocks, there is no time left to register the secret on chain. */
  dangerSlackBlocks: number;
  /** Messages that nodes sent each other from the first block on. */
  messagesByType: Counts;
  transactionsByType: Readonly<Record<string, Readonly<{ count: number; gas: number }>>>;
  cheats: readonly CheatResult[];
  expectations: readonly Readonly<{ text: string; actual: string; isMet: boolean }>[];
  invariants: readonly Readonly<{ number: number; name: string; checks: number }>[];
  /** How often each fault point in the code was passed. */
  faultPoints: Counts;
  /** How often honest nodes refused something because of each of their bounds. */
  bounds: Counts;
}>;
