/** Reads of the signed steps of both sides of each channel. */
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import { balanceHash } from '../protocol/balance-proof.ts';
import { type Hash, toHex } from '../protocol/hex.ts';
import { encodeLock, NO_LOCKS_ROOT } from '../protocol/lock.ts';
import { unhex } from './columns.ts';
import type { Connection } from './connection.ts';
import { prepareOlderProofs } from './older-proofs.ts';
import { ledgers, steps } from './schema.ts';
import { markOf, SIDES, type Side, type Step } from './step.ts';

const at = sql.placeholder;

export function prepareSteps(connection: Connection) {
  const { db } = connection;
  const older = prepareOlderProofs(connection);
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
    below(channel: string, side: Side, below: bigint, limit: number): Step[] {
      const ledger = ledgerOf(channel);
      const asked = { ledger, side: SIDES[side], below, limit };
      const found = ledger === null ? [] : page.all(asked).map(stepOf);
      return newestOf(found, older.below(channel, side, below, limit), limit);
    },
    newest(channel: string, side: Side): Step | null {
      const ledger = ledgerOf(channel);
      const row = ledger === null ? undefined : newest.get({ ledger, side: SIDES[side] });
      const found = row === undefined ? [] : [stepOf(row)];
      return newestOf(found, older.newest(channel, side), 1)[0] ?? null;
    },
    /** The newest step with the balance hash, or null. */
    find(channel: string, side: Side, hash: Hash): Step | null {
      const ledger = ledgerOf(channel);
      const asked = { ledger, side: SIDES[side], mark: markOf(hash) };
      const rows = ledger === null ? [] : marked.all(asked).map(stepOf);
      const found = rows.filter((step) => balanceHash(step) === hash);
      return newestOf(found, older.find(channel, side, hash), 1)[0] ?? null;
    },
  };
}

/** Both lists are newest first. While rows are moved, the older ones may be in either table. */
function newestOf(some: Step[], others: Step[], limit: number): Step[] {
  if (others.length === 0) return some;
  const all = [...some, ...others].sort((a, b) => (a.nonce < b.nonce ? 1 : -1));
  return all.slice(0, limit);
}

function stepOf(row: typeof steps.$inferSelect): Step {
  const { nonce, transferredAmount, lockedAmount, secrethash, expiration, amount } = row;
  const locksroot = row.locksroot ?? NO_LOCKS_ROOT;
  const isAdded = secrethash !== null && expiration !== null && amount !== null;
  const lock = isAdded ? toHex(encodeLock({ amount, expiration, secrethash })) : null;
  const changeKind = isAdded ? 'add' : secrethash === null ? null : 'remove';
  return { nonce, transferredAmount, lockedAmount, locksroot, changeKind, lock, secrethash };
}
