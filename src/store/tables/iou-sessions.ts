/** The promises to path-finding services. */
import { and, eq, sql } from 'drizzle-orm';
import type { Address } from '../../basics/hex.ts';
import { boundUpsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { iouSessions } from '../base/schema.ts';

/** The newest promise to one receiver: the total of the session, and the last block to claim it in. */
export type IouSession = {
  receiver: Address;
  oneToN: Address;
  /** In the service token's smallest unit. */
  amount: bigint;
  claimableUntil: bigint;
};

/** `write` runs its argument as one durable transaction. */
export function prepareIouSessions(connection: Connection, write: (work: () => void) => void) {
  const at = sql.placeholder;
  const { receiver, oneToN, amount, claimableUntil } = iouSessions;
  const select = connection.db
    .select({ receiver, oneToN, amount, claimableUntil })
    .from(iouSessions)
    .where(and(eq(receiver, at('receiver')), eq(oneToN, at('oneToN'))))
    .prepare();
  const upsert = boundUpsert(
    connection,
    iouSessions,
    ['receiver', 'oneToN'],
    ['amount', 'claimableUntil'],
  );
  return {
    /** Null: nothing was promised to the receiver yet, or another database has the promise. */
    get: (of: Pick<IouSession, 'receiver' | 'oneToN'>): IouSession | null =>
      select.get({ receiver: of.receiver, oneToN: of.oneToN }) ?? null,
    /** Stores the promise, which is on disk when this returns. */
    set: (session: IouSession): void =>
      write(() => {
        upsert(session);
      }),
  };
}
