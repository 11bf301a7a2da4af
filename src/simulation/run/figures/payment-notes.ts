/** Makes a record of each payment of a run, and keeps nothing of those that have ended. */

import type { Address, Hash } from '../../../basics/hex.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { lockChanges } from '../../invariants/lock-changes.ts';
import { createRecent } from '../../invariants/recent.ts';
import type { PaymentRecord } from '../../report/payment-records.ts';

/** The locks with one secrethash: what the payer's is worth, and to whom each node has passed the payment on. */
type Flight = { payer: number; cost: bigint; next: Map<number, number> };
type Try = { secrethash: Hash; attempts: number };
type Order = Pick<PaymentRecord, 'from' | 'to' | 'amount'>;
type Options = {
  /** Blocks, and milliseconds, since the scenario's first block. */
  block(): number;
  now(): number;
  indexOf(address: Address): number | null;
  /** The nodes at both ends of a channel, by its actor's id. */
  endsOf(channel: string): readonly [number, number] | null;
  /** Absent: nobody wants records. */
  onPayment: ((record: PaymentRecord) => void) | undefined;
};

/** Payments that are remembered: more than are ever under way. */
const KEPT = 20_000;
/** With these codes a caller knows nothing of a payment that may go on. */
const CUT_OFF: ReadonlySet<string> = new Set(['node_died', 'shutting_down']);
const INITIATOR = 'initiator:';

export function createPaymentNotes({ block, now, indexOf, endsOf, onPayment }: Options) {
  const flights = createRecent<Flight>(KEPT);
  /** How the payer's history says that a payment ended, by the payer and the secrethash. */
  const arrived = createRecent<number>(KEPT);
  /** The same of failed ones, by payer, payee, amount and code: their callers are not told the secrethash. */
  const failed = createRecent<Try[]>(KEPT);
  const open = new Set<Order & { startBlock: number; startMs: number }>();
  const failureKey = ({ from, to, amount }: Order, code: string) =>
    `${from} ${to} ${amount} ${code}`;

  function noteLocks(index: number, { actors, proofs }: Pick<Batch, 'actors' | 'proofs'>) {
    const own = new Set(actors.map(({ id }) => id));
    for (const { side, kind, channel, secrethash, lock } of lockChanges(proofs)) {
      if (side !== 'own' || kind !== 'add') continue;
      const isFirst = own.has(`${INITIATOR}${secrethash}`);
      if (isFirst) {
        const cost = decodeLock(lock).amount;
        flights.set(secrethash, { payer: index, cost, next: new Map() });
      }
      const flight = flights.get(secrethash);
      const to = endsOf(channel)?.find((end) => end !== index);
      // A refund goes back to where the payment came from.
      if (flight === undefined || to === undefined || flight.next.get(to) === index) continue;
      flight.next.set(index, to);
    }
  }

  function noteEnds(index: number, { payments }: Pick<Batch, 'payments'>) {
    for (const payment of payments) {
      if (payment.type === 'record.paymentReceived') continue;
      const { secrethash, attempts, amount } = payment;
      if (payment.type === 'record.paymentSent') arrived.set(`${index} ${secrethash}`, attempts);
      // Of a payment that never began, the caller is told before it is written down.
      else if (attempts > 0) {
        const order = { from: index, to: indexOf(payment.target) ?? -1, amount };
        const key = failureKey(order, payment.code);
        failed.set(key, [...(failed.get(key) ?? []), { secrethash, attempts }]);
      }
    }
  }

  /** What the payer's history says of it: null: nothing. */
  function triedOf(order: Order, code: string | null, secrethash: Hash | null): Try | null {
    if (secrethash !== null) {
      const attempts = arrived.get(`${order.from} ${secrethash}`);
      return attempts === undefined ? null : { secrethash, attempts };
    }
    return failed.get(failureKey(order, code ?? ''))?.shift() ?? null;
  }

  function pathOf({ payer, next }: Flight): number[] {
    const path = [payer];
    let at = next.get(payer);
    for (; at !== undefined && !path.includes(at); at = next.get(at)) path.push(at);
    // A payment to oneself comes home.
    return at === payer ? [...path, at] : path;
  }

  return {
    /** Notes what a node has written. */
    commit(index: number, batch: Batch): void {
      if (onPayment === undefined) return;
      noteLocks(index, batch);
      noteEnds(index, batch);
    },
    /** A payer is asked to pay; the returned function is called with the answer. `code` null: it has arrived. */
    begin({ from, to, amount }: Order): (code: string | null, secrethash: Hash | null) => void {
      const order = { startBlock: block(), startMs: now(), from, to, amount };
      if (onPayment === undefined) return () => {};
      open.add(order);
      return (code, secrethash) => {
        open.delete(order);
        const tried = triedOf(order, code, secrethash);
        const flight = tried === null ? undefined : flights.get(tried.secrethash);
        const path = flight === undefined ? [] : pathOf(flight);
        onPayment({
          ...order,
          endBlock: block(),
          endMs: now(),
          fee: code !== null || flight === undefined ? null : flight.cost - amount,
          hops: path.length === 0 ? null : path.length - 1,
          attempts: tried?.attempts ?? (code === null || CUT_OFF.has(code) ? null : 0),
          outcome: code === null ? 'succeeded' : 'failed',
          code,
          path,
        });
      };
    },
    /** The run has ended: payments that have not are told as they are. */
    end(): void {
      const unknown = { endBlock: null, endMs: null, fee: null, hops: null, attempts: null };
      for (const order of open)
        onPayment?.({ ...order, ...unknown, outcome: 'pending', code: null, path: [] });
    },
  };
}
