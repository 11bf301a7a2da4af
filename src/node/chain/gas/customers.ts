/**
 * What partners have brought: transfers that ended well and left a fee, in a token that is money here. Anybody has keys, so
 * what strangers share can be filled by one of them; a part of it is kept for those who have earned it, each as much as it
 * has brought of what all have. Whoever wants to leave a customer without a place needs as many customers as there are
 * places.
 *
 * A customer is known until a block; each such transfer moves it on. So an account needs one row, as those of the gas
 * budgets do, and is forgotten by itself.
 */
import type { Address } from '../../../basics/hex.ts';
import type { ForcedRow } from '../../../store/batch.ts';

/** Blocks by which a transfer makes its payer known for longer, and the most that it can be known for: a week. */
const FOR_TRANSFER = 100n;
const LONGEST = 50_400n;
/** A row is written when it is so far behind: not with each transfer. */
const BETWEEN_ROWS = 1_000n;

const PREFIX = 'known ';

export type Customers = ReturnType<typeof createCustomers>;
type Options = {
  rows: readonly ForcedRow[];
  /** The newest confirmed block whose logs were applied. */
  nowBlock(): bigint;
};

export function createCustomers({ rows, nowBlock }: Options) {
  const known = new Map<string, { until: bigint; written: bigint }>();
  for (const { account, fullBlock: until } of rows)
    if (account.startsWith(PREFIX)) known.set(account, { until, written: until });

  const left = (account: string): bigint => {
    const missing = (known.get(account)?.until ?? 0n) - nowBlock();
    return missing > 0n ? missing : 0n;
  };

  return {
    /** The part of what customers share that is this partner's, from 0 to 1. */
    shareOf(partner: Address): number {
      const own = left(`${PREFIX}${partner}`);
      if (own === 0n) return 0;
      let all = 0n;
      for (const account of known.keys()) all += left(account);
      return Number(own) / Number(all);
    },
    /** A transfer has ended well and left a fee. Answers the rows to be written with it. */
    noteBrought(partner: Address): ForcedRow[] {
      const account = `known ${partner}` as const;
      const now = nowBlock();
      const most = now + LONGEST;
      const { until, written } = known.get(account) ?? { until: now, written: 0n };
      const next = (until > now ? until : now) + FOR_TRANSFER;
      const fullBlock = next < most ? next : most;
      const isDue = fullBlock - written >= BETWEEN_ROWS;
      known.set(account, { until: fullBlock, written: isDue ? fullBlock : written });
      return isDue ? [{ account, fullBlock }] : [];
    },
  };
}
