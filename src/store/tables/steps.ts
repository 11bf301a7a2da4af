/** The signed steps of both sides of each channel. */
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { RecordProof, SignedChange } from '../../../machines/effects.ts';
import type { Hash, Hex } from '../../basics/hex.ts';
import { type Balances, balanceHash } from '../../protocol/channel/balance-proof.ts';
import { NO_LOCKS_ROOT } from '../../protocol/channel/lock.ts';
import { boundInsert, boundNumber } from '../base/bound.ts';
import { unhex } from '../base/columns.ts';
import type { Connection } from '../base/connection.ts';
import { ledgers, steps } from '../base/schema.ts';
import type { StepChange } from '../base/step-changes.ts';

const at = sql.placeholder;

export type Side = 'own' | 'partner';

/** What a step did to the locks of its side. */
export type LockStep = {
  nonce: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
  changes: readonly StepChange[];
};

export type SignedStep = LockStep & Balances;

/** How the table `steps` names the sides. */
export const SIDES = { own: 0, partner: 1 } as const;

/** The part of a balance hash that is stored: 8 bytes. */
const markOf = (hash: Hash): Hex => `0x${hash.slice(2, 2 + 16)}`;

/** A change of a signed step as it is stored: why a lock was removed is known from the amounts. */
export const stepChange = ({ kind, lock, secrethash }: SignedChange): StepChange =>
  kind === 'add' ? { kind, lock, secrethash } : { kind: 'remove', secrethash };

/** The number under which the channel's steps are stored; null: there are none. */
export function prepareLedgerOf(connection: Connection): (channel: string) => number | null {
  const numberOf = boundNumber(
    connection,
    connection.db
      .select({ number: ledgers.number })
      .from(ledgers)
      .where(eq(ledgers.channel, at('channel'))),
  );
  return (channel) => numberOf({ channel });
}

/** The function that writes a proof. Throws when its side has used the nonce. */
export function preparePutProof(connection: Connection) {
  const known = prepareLedgerOf(connection);
  const open = boundInsert(connection, ledgers, ['channel']);
  // Not remembered between calls: what a transaction that fails has written is gone.
  const ledgerOf = (channel: string) => known(channel) ?? Number(open({ channel }).lastInsertRowid);
  // No conflict clause: a second message with a used nonce must fail the commit.
  const insert = boundInsert(connection, steps, [
    'ledger',
    'side',
    'nonce',
    'transferredAmount',
    'lockedAmount',
    'locksroot',
    'mark',
    'changes',
  ]);
  // Each field by name: to copy all the others takes as long as the insert.
  return (proof: RecordProof): void => {
    insert({
      ledger: ledgerOf(proof.channel),
      side: SIDES[proof.side],
      nonce: proof.nonce,
      transferredAmount: proof.transferredAmount,
      lockedAmount: proof.lockedAmount,
      locksroot: proof.locksroot === NO_LOCKS_ROOT ? null : proof.locksroot,
      mark: markOf(proof.balanceHash),
      changes: proof.changes.map(stepChange),
    });
  };
}

export function prepareSteps(connection: Connection) {
  const { db } = connection;
  const ledgerOf = prepareLedgerOf(connection);
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
