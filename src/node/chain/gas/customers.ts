/**
 * What partners have brought: the fees of transfers that ended well, by what they are worth. Anybody has keys, so what
 * strangers share can be filled by one of them; a part of it is kept for those who have brought something. Of its places
 * each of them has one, as far as half of them reach, who has brought most first, and of all others as much as its part of
 * all that was brought: so a customer is left without a place only by as many keys as half of the places, each of which has
 * brought more than it.
 *
 * What was brought is forgotten, half of it in each HALF_LIFE, and all when less than a wei is left. It is stored as the
 * block in which that will be: so an account needs one row, as those of the gas budgets do, and is forgotten by itself.
 */
import type { Address } from '../../../basics/hex.ts';
import type { ForcedRow } from '../../../store/base/batch.ts';

/** In blocks: a week. */
const HALF_LIFE = 50_400;
/** A row is written when it is so far behind, 7 % of what was brought: not with each transfer. */
const BETWEEN_ROWS = 5_000;

const PREFIX = 'known ';

export type Customers = ReturnType<typeof createCustomers>;
type Options = {
  rows: readonly ForcedRow[];
  /** The newest confirmed block whose logs were applied. */
  nowBlock(): bigint;
};

export function createCustomers({ rows, nowBlock }: Options) {
  /** Not in whole blocks: what a small fee adds would be lost. */
  const known = new Map<string, { until: number; written: number }>();
  for (const { account, fullBlock } of rows)
    if (account.startsWith(PREFIX))
      known.set(account, { until: Number(fullBlock), written: Number(fullBlock) });

  /** In wei. */
  function broughtBy(account: string): number {
    const left = (known.get(account)?.until ?? 0) - Number(nowBlock());
    if (left <= 0) known.delete(account);
    return left > 0 ? 2 ** (left / HALF_LIFE) : 0;
  }

  return {
    areAny: (): boolean => [...known.keys()].some((account) => broughtBy(account) > 0),
    /** How many of the places that customers share are this partner's. */
    placesOf(partner: Address, places: number): number {
      const account = `${PREFIX}${partner}`;
      const own = broughtBy(account);
      if (own === 0) return 0;
      let all = 0;
      let before = 0;
      for (const other of known.keys()) {
        const theirs = broughtBy(other);
        all += theirs;
        if (theirs > own || (theirs === own && other < account)) before += 1;
      }
      const firsts = Math.min(known.size, Math.ceil(Math.max(1, places) / 2));
      const others = Math.floor((Math.max(0, places - firsts) * own) / all);
      return Number(before < firsts) + others;
    },
    /** A transfer has ended well and left a fee that is worth so much. Answers the rows to be written with it. */
    noteBrought(partner: Address, wei: bigint): ForcedRow[] {
      if (wei <= 0n) return [];
      const account = `known ${partner}` as const;
      const written = known.get(account)?.written ?? 0;
      const brought = broughtBy(account) + Number(wei);
      const until = Number(nowBlock()) + HALF_LIFE * Math.log2(brought);
      const isDue = until - written >= BETWEEN_ROWS;
      known.set(account, { until, written: isDue ? until : written });
      return isDue ? [{ account, fullBlock: BigInt(Math.floor(until)) }] : [];
    },
  };
}
