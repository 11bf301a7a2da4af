/** What each node of a run has sent, received and earned, counted from what it writes. */
import type { RecordMediated, RecordPayment } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { lockChanges } from '../../invariants/lock-changes.ts';

/** The counts of one node. Amounts in the token's smallest unit. */
export type NodeTally = {
  /** The amounts of its own payments, fees included, and of the payments to it. */
  spent: bigint;
  received: bigint;
  fees: bigint;
  /** What its own payments cost beyond what arrived of them, as far as it knows: what it pays itself comes home. */
  feesPaid: bigint;
  /** Amounts of its locks times the blocks for which they waited. */
  lockedBlocks: number;
  sentCount: number;
  receivedCount: number;
  mediatedCount: number;
  failedCount: number;
  messagesSent: number;
  messagesReceived: number;
  kills: number;
};

const MEDIATOR = 'mediator:';

export type TallyWorld = {
  /** What is paid in another token does not count. */
  token: Address;
  addressOf(index: number): Address;
};

/** `blocks`: virtual time in blocks, with fractions. */
export function createNodeTallies(nodes: number, world: () => TallyWorld, blocks: () => number) {
  const tallies = Array.from({ length: nodes }, newTally);
  const token = () => world().token;
  /** Pending locks of each node, by node, channel and secrethash. */
  const pending = new Map<string, { amount: number; since: number }>();
  /** The locked amount of each unfinished payment that a node started. */
  const locked = new Map<string, bigint>();
  /** The channel into which a node has passed a payment on, until it is told what it earned with it. */
  const passed = new Map<string, string>();
  const fees = new Map<string, bigint>();

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
      if (side !== 'own') continue;
      const place = `${index} ${channel} ${secrethash}`;
      if (kind !== 'add') {
        endLock(place);
        continue;
      }
      pending.set(place, { amount: Number(decodeLock(lock).amount), since: blocks() });
      const key = `${index} ${secrethash}`;
      if (own.has(`initiator:${secrethash}`)) locked.set(key, decodeLock(lock).amount);
      else passed.set(key, channel);
    }
  }

  function endLock(place: string) {
    const lock = pending.get(place);
    if (lock === undefined) return;
    pending.delete(place);
    const index = Number(place.slice(0, place.indexOf(' ')));
    of(index).lockedBlocks += lock.amount * (blocks() - lock.since);
  }

  /** The locks that are pending in the end have waited until then. */
  function endLocks(): void {
    for (const place of [...pending.keys()]) endLock(place);
  }

  function notePayment(index: number, payment: RecordPayment) {
    const tally = of(index);
    const key = `${index} ${payment.secrethash}`;
    const { amount } = payment;
    const other = payment.type === 'record.paymentReceived' ? payment.initiator : payment.target;
    const isOwn = other === world().addressOf(index);
    if (payment.type === 'record.paymentReceived') {
      tally.received += amount;
      tally.receivedCount += 1;
      if (isOwn) tally.feesPaid -= amount;
      return;
    }
    const cost = locked.get(key) ?? amount;
    locked.delete(key);
    if (payment.type === 'record.paymentFailed') return;
    tally.spent += cost;
    tally.feesPaid += isOwn ? cost : cost - amount;
    tally.sentCount += 1;
  }

  function noteMediated(index: number, { fee, secrethash }: RecordMediated) {
    const tally = of(index);
    tally.fees += fee;
    tally.mediatedCount += 1;
    const place = `${index} ${passed.get(`${index} ${secrethash}`)}`;
    fees.set(place, (fees.get(place) ?? 0n) + fee);
  }

  return {
    of,
    endLocks,
    /** What an end of a channel, named by its actor's id, earned with what it passed on into the channel. */
    feesIn: (index: number, channel: string): bigint => fees.get(`${index} ${channel}`) ?? 0n,
    /** Sums over all nodes. */
    totals() {
      const sum = (of: (tally: NodeTally) => bigint) =>
        tallies.reduce((total, tally) => total + of(tally), 0n);
      const [spent, received] = [sum((tally) => tally.spent), sum((tally) => tally.received)];
      return { spent, received, fees: sum((tally) => tally.fees) };
    },
    /** All that was counted, in the end. */
    raw() {
      endLocks();
      return { tallies: [...tallies], fees: [...fees] };
    },
    /** Takes over the counts of nodes of another part. */
    add(
      raw: { tallies: readonly NodeTally[]; fees: readonly [string, bigint][] },
      isTheirs: (index: number) => boolean,
    ) {
      for (const [index, tally] of raw.tallies.entries())
        if (isTheirs(index)) tallies[index] = tally;
      for (const [key, amount] of raw.fees) fees.set(key, amount);
    },
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
  };
}

function newTally(): NodeTally {
  return {
    spent: 0n,
    received: 0n,
    fees: 0n,
    feesPaid: 0n,
    lockedBlocks: 0,
    sentCount: 0,
    receivedCount: 0,
    mediatedCount: 0,
    failedCount: 0,
    messagesSent: 0,
    messagesReceived: 0,
    kills: 0,
  };
}
