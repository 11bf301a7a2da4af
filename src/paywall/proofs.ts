/**
 * How many proofs the seller's node is asked about. Everybody gets an offer for nothing, and can come with any number of
 * secrets that paid it: each of these proofs costs as much as several offers. So those that prove nothing share an allowance,
 * and who has bought before does not wait for them.
 */
import { createTokenBucket, type TokenBucket } from '../basics/token-bucket.ts';

/** Of all who have not bought yet: a tenth of a core. */
const STRANGERS = { most: 200, perSecond: 50 };
/** Of each who has: also an honest payment can come too late. */
const CUSTOMER = { most: 20, perSecond: 0.2 };
/** Customers that are remembered, those who bought last. */
const MOST_CUSTOMERS = 10_000;

/** Told once what became of it. */
export type Asking = { end(isPaid: boolean): void };

/** `now`: milliseconds. */
export function createProofBounds(now: () => number) {
  const strangers = createTokenBucket({ ...STRANGERS, now });
  const customers = new Map<string, TokenBucket>();

  return {
    /** Null: the node is not asked about a proof of this payer now. Anybody can write a payer into a proof. */
    begin(payer: string): Asking | null {
      const own = customers.get(payer);
      if (own !== undefined && !own.isEmpty())
        return { end: (isPaid) => void (isPaid || own.take()) };
      if (!strangers.take()) return null;
      return { end: (isPaid) => (isPaid ? strangers.giveBack() : undefined) };
    },
    /** The node says that this payer has paid. */
    noteCustomer(payer: string): void {
      const own = customers.get(payer) ?? createTokenBucket({ ...CUSTOMER, now });
      customers.delete(payer);
      customers.set(payer, own);
      const oldest = customers.size > MOST_CUSTOMERS ? customers.keys().next() : null;
      if (oldest !== null && !oldest.done) customers.delete(oldest.value);
    },
  };
}
