/** All data of one node on a disk in memory: the tables of `src/store/base/schema.ts`, without SQL. */

import type { Hash } from '../../basics/hex.ts';
import type { SignedTransaction } from '../../protocol/signed-transaction.ts';
import type {
  ActorRow,
  BudgetRow,
  ChannelRow,
  ForcedRow,
  JobRow,
  NotificationRow,
  OutboxRow,
} from '../../store/base/batch.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import type { FeedRow } from '../../store/history/feed.ts';
import type { JournalEntry } from '../../store/history/journal.ts';
import type { PaymentRow } from '../../store/history/payment-row.ts';
import type { AlertRow } from '../../store/history/records.ts';
import type { StoredCall } from '../../store/tables/calls.ts';
import type { IouSession } from '../../store/tables/iou-sessions.ts';
import type { Redemption } from '../../store/tables/redemptions.ts';
import type { ChainPoint, Fork } from '../../store/tables/trail.ts';
import { createMarks, type Marks } from './marks.ts';
import { createNumbered, type Numbered } from './numbered.ts';
import { createOrderedRows, createRows, type OrderedRows, type Rows } from './rows.ts';
import { createSteps, type Steps } from './steps.ts';
import type { Undo } from './undo.ts';

/** One payment of the history; `partner` is the other end of it. */
export type StoredPayment = {
  seq: number;
  partner: string;
  channel: string | null;
  block: bigint;
  secrethash: Hash;
  record: PaymentRow;
};
/** `body` is the codec's text. */
type StoredLog = { block: bigint; logIndex: number; body: string };

/** A channel that has left the chain; `hasProofs`: some of its steps may be left. */
export type Departure = { channel: string; time: number; hasProofs: boolean };

/** What a database keeps in its table of keys and values. */
type Facts = {
  /** Null: no process has opened it yet. */
  stamp: Stamp | null;
  instance: string;
  /** See `MetaKey`. */
  backup: string;
  isRereading: boolean;
  /** Newest first. */
  trail: readonly ChainPoint[];
  /** Of the newest block of the trail only the logs up to this index are applied; null: all. */
  lastLog: number | null;
  fork: Fork | null;
  raised: ReadonlySet<NotificationRow['id']>;
  redeemableFrom: number;
  /** How far it has come in its replica; null: it was never replicated. */
  place: string | null;
};

export type Tables = {
  facts(): Facts;
  setFacts(changed: Partial<Facts>): void;
  actors: OrderedRows<ActorRow>;
  /** The ids of actors that have ended. */
  ended: Marks;
  /** Registered secrets (in the real store, rows of the table of ended actors) with its column `block`. */
  registered: Rows<bigint | null>;
  outbox: OrderedRows<OutboxRow>;
  jobs: OrderedRows<JobRow>;
  /** By job and step, see `transactionKey`. */
  transactions: OrderedRows<SignedTransaction>;
  steps: Steps;
  payments: Numbered<StoredPayment>;
  /** The secrethashes of all payments, forgotten ones too: none of them may be used again. */
  secrethashes: Marks;
  alerts: Numbered<AlertRow>;
  /** By channel, in the chain's order. */
  logs: Rows<readonly StoredLog[]>;
  channels: OrderedRows<ChannelRow>;
  /** By the name that their steps have since then. */
  departures: OrderedRows<Departure>;
  notifications: Rows<NotificationRow & { time: number }>;
  /** The body is plain data, not text: the objects in it never change. */
  feed: Numbered<FeedRow>;
  webhooks: Rows<number>;
  iouSessions: Rows<IouSession>;
  budgets: Rows<BudgetRow>;
  forced: Rows<ForcedRow>;
  /** By `callKey`; `time`: of the end, until then of the beginning. */
  calls: OrderedRows<StoredCall & { time: number }>;
  /** By secrethash. */
  redemptions: Rows<Redemption & { received: number }>;
  journal: Numbered<JournalEntry>;
};

/** How many rows are kept; the real store keeps all steps and payments. */
export type Kept = {
  /** Newest rows of the journal and of the feed. */
  journal: number;
  feed: number;
  /** Newest payments of the history; up to a quarter more. */
  payments: number;
  /** Newest steps of each side of each channel; up to a quarter more. */
  steps: number;
};

const NOTHING: Facts = {
  stamp: null,
  instance: '',
  backup: '',
  isRereading: false,
  trail: [],
  lastLog: null,
  fork: null,
  raised: new Set(),
  redeemableFrom: 0,
  place: null,
};

/** Creates empty tables, and `copy`, which copies their contents and returns a function that restores them. */
export function createTables(undo: Undo, kept: Kept): { tables: Tables; copy(): () => void } {
  let facts = NOTHING;
  const tables: Tables = {
    facts: () => facts,
    setFacts(changed) {
      const before = facts;
      undo.note(() => {
        facts = before;
      });
      facts = { ...before, ...changed };
    },
    actors: createOrderedRows(undo),
    ended: createMarks(undo),
    registered: createRows(undo),
    outbox: createOrderedRows(undo),
    jobs: createOrderedRows(undo),
    transactions: createOrderedRows(undo),
    steps: createSteps(undo, kept.steps),
    payments: createNumbered(undo, { limit: kept.payments, slack: Math.ceil(kept.payments / 4) }),
    secrethashes: createMarks(undo),
    alerts: createNumbered(undo, { limit: Number.POSITIVE_INFINITY }),
    logs: createRows(undo),
    channels: createOrderedRows(undo),
    departures: createOrderedRows(undo),
    notifications: createRows(undo),
    feed: createNumbered(undo, { limit: kept.feed }),
    webhooks: createRows(undo),
    iouSessions: createRows(undo),
    budgets: createRows(undo),
    forced: createRows(undo),
    calls: createOrderedRows(undo),
    redemptions: createRows(undo),
    journal: createNumbered(undo, { limit: kept.journal }),
  };

  return {
    tables,
    copy() {
      const before = facts;
      const backs = copiesOf(tables);
      return () => {
        facts = before;
        for (const back of backs) back();
      };
    },
  };
}

function copiesOf(tables: Tables): (() => void)[] {
  return [
    copyOf(tables.actors),
    copyOf(tables.ended),
    copyOf(tables.outbox),
    copyOf(tables.jobs),
    copyOf(tables.transactions),
    copyOf(tables.steps),
    copyOf(tables.payments),
    copyOf(tables.registered),
    copyOf(tables.secrethashes),
    copyOf(tables.alerts),
    copyOf(tables.logs),
    copyOf(tables.channels),
    copyOf(tables.departures),
    copyOf(tables.notifications),
    copyOf(tables.feed),
    copyOf(tables.webhooks),
    copyOf(tables.iouSessions),
    copyOf(tables.journal),
    copyOf(tables.budgets),
    copyOf(tables.forced),
    copyOf(tables.calls),
    copyOf(tables.redemptions),
  ];
}

/** Copies one table and returns a function that restores it. */
function copyOf<C>(table: { copy(): C; restore(copy: C): void }): () => void {
  const copy = table.copy();
  return () => table.restore(copy);
}

/** The key of a call that may be repeated. */
export function callKey({ caller, key }: Pick<StoredCall, 'caller' | 'key'>): string {
  return `${caller} ${key}`;
}

/** The key of the transaction of one call of a job. */
export function transactionKey({ job, step }: Pick<SignedTransaction, 'job' | 'step'>): string {
  return `${step} ${job}`;
}
