/**
 * How many proofs the seller's node is asked about. Everybody gets an offer for nothing, and can come with any number of
 * secrets that paid it: each of these proofs costs as much as several offers. So those that prove nothing share an allowance,
 * and who has bought before does not wait for them.
 */
import { createRecent } from '../basics/recent.ts';
import { createTokenBucket } from '../basics/token-bucket.ts';

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
  const customers = createRecent({
    most: MOST_CUSTOMERS,
    create: (_payer: string) => createTokenBucket({ ...CUSTOMER, now }),
  });

  return {
    /** Null: the node is not asked about a proof of this payer now. Anybody can write a payer into a proof. */
    begin(payer: string): Asking | null {
      const own = customers.find(payer);
      if (own !== undefined && !own.isEmpty())
        return { end: (isPaid) => void (isPaid || own.take()) };
      if (!strangers.take()) return null;
      return { end: (isPaid) => (isPaid ? strangers.giveBack() : undefined) };
    },
    /** The node says that this payer has paid. */
    noteCustomer: (payer: string): void => void customers.of(payer),
  };
}
