/** A record for each payment of a run, as lines of JSON. */
import { decimalAmounts } from './json.ts';

export type PaymentRecord = {
  /** When the payer asked for it and was answered; blocks and milliseconds since the scenario's first block. */
  startBlock: number;
  startMs: number;
  /** Null: the run ended before. */
  endBlock: number | null;
  endMs: number | null;
  /** Indexes of the payer and of the payee. */
  from: number;
  to: number;
  /**
   * What the payee asked for, and what the payer paid beyond that: fees, and what mediators left of them to the payee.
   * `fee` null: it did not arrive.
   */
  amount: bigint;
  fee: bigint | null;
  /** Channels of the path. */
  hops: number | null;
  /** Routes that were tried, as the payer wrote down; null: not known, the caller was cut off. */
  attempts: number | null;
  outcome: 'succeeded' | 'failed' | 'pending';
  /** Why it failed. */
  code: string | null;
  /** Indexes of the nodes of the last route that was tried, as far as a lock came; empty: no lock is known. */
  path: readonly number[];
};

/** One object in each line. */
export function paymentLines(records: readonly PaymentRecord[]): string {
  return records.map((record) => `${JSON.stringify(record, decimalAmounts)}\n`).join('');
}
