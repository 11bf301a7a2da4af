/** Reads of the signed steps of both sides of each channel. */
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { Hash } from '../../basics/hex.ts';
import { balanceHash } from '../../protocol/channel/balance-proof.ts';
import { NO_LOCKS_ROOT } from '../../protocol/channel/lock.ts';
import { unhex } from '../base/columns.ts';
import type { Connection } from '../base/connection.ts';
import { ledgers, steps } from '../base/schema.ts';
import { markOf, SIDES, type Side, type SignedStep } from './step.ts';

const at = sql.placeholder;

export function prepareSteps({ db }: Connection) {
  const number = db
    .select({ number: ledgers.number })
    .from(ledgers)
    .where(eq(ledgers.channel, at('channel')))
    .prepare();
  const ofSide = and(eq(steps.ledger, at('ledger')), eq(steps.side, at('side')));
  const page = db
    .select()
    .from(steps)
    .where(and(ofSide, lt(steps.nonce, unhex('below', steps.nonce))))
    .orderBy(desc(steps.nonce))
    .limit(at('limit'))
    .prepare();
  const newest = db
    .select()
    .from(steps)
    .where(ofSide)
    .orderBy(desc(steps.nonce))
    .limit(1)
    .prepare();
  const marked = db
    .select()
    .from(steps)
    .where(and(ofSide, eq(steps.mark, unhex('mark', steps.mark))))
    .orderBy(desc(steps.nonce))
    .prepare();
  const ledgerOf = (channel: string) => number.get({ channel })?.number ?? null;

  return {
    /** At most `limit` steps of a side below the nonce `below`, newest first. */
    below(channel: string, side: Side, below: bigint, limit: number): SignedStep[] {
      const ledger = ledgerOf(channel);
      const asked = { ledger, side: SIDES[side], below, limit };
      return ledger === null ? [] : page.all(asked).map(stepOf);
    },
    newest(channel: string, side: Side): SignedStep | null {
      const ledger = ledgerOf(channel);
      const row = ledger === null ? undefined : newest.get({ ledger, side: SIDES[side] });
      return row === undefined ? null : stepOf(row);
    },
    /** The newest step with the balance hash, or null. */
    find(channel: string, side: Side, hash: Hash): SignedStep | null {
      const ledger = ledgerOf(channel);
      const asked = { ledger, side: SIDES[side], mark: markOf(hash) };
      const rows = ledger === null ? [] : marked.all(asked).map(stepOf);
      return rows.find((step) => balanceHash(step) === hash) ?? null;
    },
  };
}

function stepOf(row: typeof steps.$inferSelect): SignedStep {
  const { nonce, transferredAmount, lockedAmount, changes } = row;
  const locksroot = row.locksroot ?? NO_LOCKS_ROOT;
  return { nonce, transferredAmount, lockedAmount, locksroot, changes };
}
