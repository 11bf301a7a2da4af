/** Counts what happens in a run, in a size that does not grow with the number of payments. */
import type { RecordMediated, RecordPayment } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { lockChanges } from '../../invariants/lock-changes.ts';
import type { Moment } from '../../report/results/result.ts';
import { createSeries, type SeriesOptions } from './series.ts';

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
type Counted = 'started' | 'succeeded' | 'failed' | 'transactions' | 'gasUsed';

const MEDIATOR = 'mediator:';
/** The most moments that are kept for reading. */
const MOST_MOMENTS = 200;
/** The longest latency in blocks that is counted by itself. */
const MOST_LATENCY = 10_000;
/** Latencies in milliseconds are counted in steps of this size, up to the longest. */
const DELAY_MS = 10;
const MOST_DELAY_MS = 600_000;

export function createTally(nodes: number, { token, ...options }: TallyOptions) {
  const tallies = Array.from({ length: nodes }, newTally);
  /** The locked amount of each unfinished payment that a node started. */
  const locked = new Map<string, bigint>();
  /** The channel into which a node has passed a payment on, until it is told what it earned with it. */
  const passed = new Map<string, string>();
  const fees = new Map<string, bigint>();
  const failed = new Map<string, number>();
  const latencies = new Map<number, number>();
  const delays = new Map<number, number>();
  const points = new Map<string, number>();
  const slacks = new Map<number, number>();
  const calls = new Map<string, { count: number; gas: number }>();
  const moments: Moment[] = [];
  const messages = new Map<Message['type'], number>();
  const series = createSeries(options);
  const block = () => options.block() ?? 0;
  let started = 0;
  let succeeded = 0;

  function of(index: number): NodeTally {
    const tally = tallies[index];
    if (tally === undefined) throw new Error(`simulation: there is no node ${index}`);
    return tally;
  }

  /**
   * Notes the locks that a node signs. Of its own payments, the locked amount is what the payment costs, fees included.
   */
  function noteLocks(index: number, { actors, proofs }: Pick<Batch, 'actors' | 'proofs'>) {
    const own = new Set(actors.map(({ id }) => id));
    for (const { side, kind, channel, secrethash, lock } of lockChanges(proofs)) {
      if (side !== 'own' || kind !== 'add') continue;
      const key = `${index} ${secrethash}`;
      if (own.has(`initiator:${secrethash}`)) locked.set(key, decodeLock(lock).amount);
      else passed.set(key, channel);
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

  function noteMediated(index: number, { fee, secrethash }: RecordMediated) {
    const tally = of(index);
    tally.fees += fee;
    tally.mediatedCount += 1;
    const place = `${index} ${passed.get(`${index} ${secrethash}`)}`;
    fees.set(place, (fees.get(place) ?? 0n) + fee);
  }

  function count(what: Counted, by = 1) {
    const point = series.now();
    if (point !== null) point[what] += by;
  }

  function totals() {
    const sum = (of: (tally: NodeTally) => bigint) =>
      tallies.reduce((total, tally) => total + of(tally), 0n);
    const [spent, received] = [sum((tally) => tally.spent), sum((tally) => tally.received)];
    return { spent, received, fees: sum((tally) => tally.fees) };
  }

  return {
    of,
    /** What an end of a channel, named by its actor's id, earned with what it passed on into the channel. */
    feesIn: (index: number, channel: string): bigint => fees.get(`${index} ${channel}`) ?? 0n,
    /** To note how the channels stand when the blocks of a point are over, and in the end. */
    series: { look: series.look, end: series.end },
    /** Sums over all nodes. */
    totals,
    /** Counts a batch that a node has written. */
    commit(index: number, batch: Batch) {
      noteLocks(index, batch);
      for (const payment of batch.payments)
        if (payment.token === token()) notePayment(index, payment);
      for (const mediated of batch.mediations)
        if (mediated.token === token()) noteMediated(index, mediated);
      for (const id of batch.retired)
        if (id.startsWith(MEDIATOR)) passed.delete(`${index} ${id.slice(MEDIATOR.length)}`);
    },
    /** A node sends another one a payload with messages of these types. */
    sent(from: number, types: readonly Message['type'][]) {
      const point = series.now();
      if (point === null) return;
      of(from).messagesSent += types.length;
      point.payloads += 1;
      point.messages += types.length;
      for (const type of types) messages.set(type, (messages.get(type) ?? 0) + 1);
    },
    /** A payload with so many messages has reached a node. */
    heard(to: number, count: number) {
      if (series.now() !== null) of(to).messagesReceived += count;
    },
    /** A sealed payload of any node has reached this one. */
    overheard(to: number) {
      const point = series.now();
      if (point === null) return;
      of(to).messagesReceived += 1;
      point.payloads += 1;
      point.messages += 1;
    },
    begin(at: number): Started {
      started += 1;
      count('started');
      return { block: block(), at };
    },
    /** `at`: milliseconds of the same clock as in `begin`. `code` null: the payment has succeeded. */
    end(payment: Started, at: number, code: string | null) {
      if (code !== null) {
        failed.set(code, (failed.get(code) ?? 0) + 1);
        count('failed');
        return;
      }
      succeeded += 1;
      const blocks = Math.min(MOST_LATENCY, block() - payment.block);
      latencies.set(blocks, (latencies.get(blocks) ?? 0) + 1);
      const ms = Math.min(MOST_DELAY_MS, Math.round((at - payment.at) / DELAY_MS) * DELAY_MS);
      delays.set(ms, (delays.get(ms) ?? 0) + 1);
      count('succeeded');
      series.now()?.latencies.push(blocks);
    },
    point: (name: string) => void points.set(name, (points.get(name) ?? 0) + 1),
    /** A secret was registered so many blocks before the expiration of a lock that pays an honest node. */
    slack: (blocks: number) => void slacks.set(blocks, (slacks.get(blocks) ?? 0) + 1),
    /** A transaction with this call was mined. */
    call(name: string, gasUsed: bigint) {
      const known = calls.get(name) ?? { count: 0, gas: 0 };
      calls.set(name, { count: known.count + 1, gas: known.gas + Number(gasUsed) });
      count('transactions');
      count('gasUsed', Number(gasUsed));
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
      series: series.points(),
      messages: Object.fromEntries([...messages].sort()),
      points: Object.fromEntries([...points].sort()),
      latencies: [...latencies].sort(([a], [b]) => a - b),
      delays: [...delays].sort(([a], [b]) => a - b),
      slacks: [...slacks].sort(([a], [b]) => a - b),
      calls: Object.fromEntries([...calls].sort(([a], [b]) => (a < b ? -1 : 1))),
    }),
  };
}
type TallyOptions = SeriesOptions & {
  /** What is paid in another token does not count. */
  token(): Address;
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
