/** The sessions of IOUs on disk. Writes have to be called inside a transaction of the caller. */
import { and, eq, lt } from 'drizzle-orm';
import type { Address } from '../../basics/hex.ts';
import type { Connection } from '../../store/base/connection.ts';
import { ious } from './schema.ts';

/** One session with its newest IOU. */
export type SessionRow = typeof ious.$inferSelect;
export type IouRows = ReturnType<typeof prepareIouRows>;
export type SessionName = Pick<SessionRow, 'sender' | 'claimableUntil'>;

export function prepareIouRows({ db }: Connection) {
  const is = ({ sender, claimableUntil }: SessionName) =>
    and(eq(ious.sender, sender), eq(ious.claimableUntil, claimableUntil));
  return {
    all: (): SessionRow[] => db.select().from(ious).all(),
    of: (sender: Address): SessionRow[] =>
      db.select().from(ious).where(eq(ious.sender, sender)).all(),
    put(row: SessionRow): void {
      const { amount, signature } = row;
      db.insert(ious)
        .values(row)
        .onConflictDoUpdate({
          target: [ious.sender, ious.claimableUntil],
          set: { amount, signature },
        })
        .run();
    },
    setState(name: SessionName, state: SessionRow['state']): void {
      db.update(ious).set({ state }).where(is(name)).run();
    },
    /** Deletes the sessions that can no longer be redeemed. */
    removeExpired(nowBlock: bigint): void {
      db.delete(ious).where(lt(ious.claimableUntil, nowBlock)).run();
    },
  };
}
