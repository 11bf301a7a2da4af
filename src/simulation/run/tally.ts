/** Counts what happens in a run, in a size that does not grow with the number of payments. */
import type { RecordMediated, RecordPayment } from '../../../machines/effects.ts';
import type { Address } from '../../protocol/hex.ts';
import { decodeLock } from '../../protocol/lock.ts';
import type { Batch } from '../../store/batch.ts';
import type { Moment, SeriesPoint } from '../report/result.ts';

/** The counts of one node. Amounts in the token's smallest unit. */
export type NodeTally = {
  /** The amounts of its own payments, fees included, and of the payments to it. */
  spent: bigint;
  received: bigint;
  fees: bigint;
  sentCount: number;
  receivedCount: number;
  mediatedCount: number;
  failedCount: number;
  messagesSent: number;
  messagesReceived: number;
  kills: number;
};
export type Tally = ReturnType<typeof createTally>;
type Started = { block: number; at: number };
type Counted = Omit<SeriesPoint, 'latencyBlocksP50' | 'capacity'>;
/** `latencies`: of the payments that succeeded in these blocks. */
type Bucket = { -readonly [Field in keyof Counted]: number } & {
  latencies: number[];
  capacity: bigint;
};

/** The most moments that are kept for reading. */
const MOST_MOMENTS = 200;
/** The longest latency in blocks that is counted by itself. */
const MOST_LATENCY = 10_000;
/** Latencies in milliseconds are counted in steps of this size, up to the longest. */
const DELAY_MS = 10;
const MOST_DELAY_MS = 600_000;

export function createTally(nodes: number, { block, bucketBlocks, token }: TallyOptions) {
  const tallies = Array.from({ length: nodes }, newTally);
  /** The locked amount of each unfinished payment that a node started. */
  const locked = new Map<string, bigint>();
  const failed = new Map<string, number>();
  const latencies = new Map<number, number>();
  const delays = new Map<number, number>();
  const points = new Map<string, number>();
  const slacks = new Map<number, number>();
  const calls = new Map<string, { count: number; gas: number }>();
  const moments: Moment[] = [];
  const series: Bucket[] = [];
  let started = 0;
  let succeeded = 0;

  function bucket(): Bucket {
    const first = Math.floor(block() / bucketBlocks) * bucketBlocks;
    const newest = series.at(-1);
    if (newest?.block === first) return newest;
    const next = { ...EMPTY, block: first, latencies: [] };
    series.push(next);
    return next;
  }

  function of(index: number): NodeTally {
    const tally = tallies[index];
    if (tally === undefined) throw new Error(`simulation: there is no node ${index}`);
    return tally;
  }

  function heard(to: number) {
    of(to).messagesReceived += 1;
    bucket().messages += 1;
  }

  /** Notes the locks of a node's own payments: the locked amount is what a payment costs, fees included. */
  function noteLocks(index: number, { actors, proofs }: Pick<Batch, 'actors' | 'proofs'>) {
    const own = new Set(actors.map(({ id }) => id));
    for (const { side, change } of proofs) {
      if (side !== 'own' || change?.kind !== 'add') continue;
      if (!own.has(`initiator:${change.secrethash}`)) continue;
      locked.set(`${index} ${change.secrethash}`, decodeLock(change.lock).amount);
    }
  }

  function notePayment(index: number, payment: RecordPayment) {
    const tally = of(index);
    const key = `${index} ${payment.secrethash}`;
    if (payment.type === 'record.paymentReceived') {
      tally.received += payment.amount;
      tally.receivedCount += 1;
      return;
    }
    const cost = locked.get(key);
    locked.delete(key);
    if (payment.type === 'record.paymentFailed') {
      tally.failedCount += 1;
      return;
    }
    tally.spent += cost ?? payment.amount;
    tally.sentCount += 1;
  }

  function noteMediated(index: number, { fee }: RecordMediated) {
    const tally = of(index);
    tally.fees += fee;
    tally.mediatedCount += 1;
  }

  function totals() {
    const sum = (of: (tally: NodeTally) => bigint) =>
      tallies.reduce((total, tally) => total + of(tally), 0n);
    const [spent, received] = [sum((tally) => tally.spent), sum((tally) => tally.received)];
    return { spent, received, fees: sum((tally) => tally.fees) };
  }

  return {
    of,
    /** Sums over all nodes. */
    totals,
    /** Counts a batch that a node has written. */
    commit(index: number, batch: Batch) {
      noteLocks(index, batch);
      for (const payment of batch.payments)
        if (payment.token === token()) notePayment(index, payment);
      for (const mediated of batch.mediations)
        if (mediated.token === token()) noteMediated(index, mediated);
    },
    message(from: number, to: number) {
      of(from).messagesSent += 1;
      heard(to);
    },
    /** Counts a message of any node. */
    heard,
    begin(at: number): Started {
      started += 1;
      bucket().started += 1;
      return { block: block(), at };
    },
    /** `at`: milliseconds of the same clock as in `begin`. `code` null: the payment has succeeded. */
    end(payment: Started, at: number, code: string | null) {
      if (code !== null) {
        failed.set(code, (failed.get(code) ?? 0) + 1);
        bucket().failed += 1;
        return;
      }
      succeeded += 1;
      const blocks = Math.min(MOST_LATENCY, block() - payment.block);
      latencies.set(blocks, (latencies.get(blocks) ?? 0) + 1);
      const ms = Math.min(MOST_DELAY_MS, Math.round((at - payment.at) / DELAY_MS) * DELAY_MS);
      delays.set(ms, (delays.get(ms) ?? 0) + 1);
      const point = bucket();
      point.succeeded += 1;
      point.latencies.push(blocks);
    },
    point: (name: string) => void points.set(name, (points.get(name) ?? 0) + 1),
    /** A secret was registered so many blocks before the expiration of a lock that pays an honest node. */
    slack: (blocks: number) => void slacks.set(blocks, (slacks.get(blocks) ?? 0) + 1),
    /** A transaction with this call was mined. */
    call(name: string, gasUsed: bigint) {
      const known = calls.get(name) ?? { count: 0, gas: 0 };
      calls.set(name, { count: known.count + 1, gas: known.gas + Number(gasUsed) });
      const point = bucket();
      point.transactions += 1;
      point.gasUsed += Number(gasUsed);
    },
    /** The state of the channels at the end of a block. */
    standing(now: Pick<SeriesPoint, 'pendingLocks' | 'capacity' | 'imbalance'>) {
      Object.assign(bucket(), now);
    },
    moment(moment: Moment) {
      if (moments.length < MOST_MOMENTS) moments.push(moment);
    },
    /** Number of payments that were started up to now. */
    started: () => started,
    results: () => ({
      started,
      succeeded,
      failed: Object.fromEntries([...failed].sort()),
      moments,
      series,
      points: Object.fromEntries([...points].sort()),
      latencies: [...latencies].sort(([a], [b]) => a - b),
      delays: [...delays].sort(([a], [b]) => a - b),
      slacks: [...slacks].sort(([a], [b]) => a - b),
      calls: Object.fromEntries([...calls].sort(([a], [b]) => (a < b ? -1 : 1))),
    }),
  };
}
type TallyOptions = {
  /** The chain's newest block. */
  block(): number;
  /** Blocks of one point of the series. */
  bucketBlocks: number;
  /** What is paid in another token does not count. */
  token(): Address;
};

const EMPTY = {
  started: 0,
  succeeded: 0,
  failed: 0,
  messages: 0,
  transactions: 0,
  gasUsed: 0,
  pendingLocks: 0,
  imbalance: 0,
  capacity: 0n,
};

function newTally(): NodeTally {
  return {
    spent: 0n,
    received: 0n,
    fees: 0n,
    sentCount: 0,
    receivedCount: 0,
    mediatedCount: 0,
    failedCount: 0,
    messagesSent: 0,
    messagesReceived: 0,
    kills: 0,
  };
}
