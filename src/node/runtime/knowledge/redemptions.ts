/**
 * Which received payments were redeemed, on disk or in a batch that is not there yet: of two callers that come in one turn
 * after the other with the same payment, the second finds it redeemed.
 */
import type { Hash } from '../../../basics/hex.ts';
import type { Batch, RedemptionRow } from '../../../store/base/batch.ts';
import type { Store } from '../../../store/store.ts';
import type { Redemption } from '../../../store/tables/redemptions.ts';

export type Redemptions = ReturnType<typeof createRedemptions>;

export function createRedemptions(store: Pick<Store, 'findRedemption'>) {
  /** The newest of each payment that is in no commit on disk so far. */
  const recent = new Map<Hash, RedemptionRow>();

  return {
    /** Null: the payment is not redeemed now. */
    find(secrethash: Hash): Redemption | null {
      const row = recent.get(secrethash);
      if (row === undefined) return store.findRedemption(secrethash);
      const { request, paymentId } = row;
      return request === null ? null : { request, paymentId };
    },
    /** Redeems a payment, or takes that back, in the turn of the caller. */
    write(batch: Pick<Batch, 'redemptions'>, row: RedemptionRow): void {
      batch.redemptions.push(row);
      recent.set(row.secrethash, row);
    },
    /** Called when a commit is on disk: the store answers for what was in it. */
    forget({ redemptions }: Pick<Batch, 'redemptions'>): void {
      for (const row of redemptions)
        if (recent.get(row.secrethash) === row) recent.delete(row.secrethash);
    },
  };
}
