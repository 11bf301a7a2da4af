/** What one commit writes, all of it or nothing. Plain data: the runtime fills it, `commit` writes it. */

import type {
  GivenBytes,
  RecordAlert,
  RecordMediated,
  RecordPayment,
  RecordProof,
} from '../../../machines/effects.ts';
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { Address, Hash, Hex } from '../../basics/hex.ts';
import type { AppliedUpTo, Fork } from '../tables/trail.ts';
import type { JournalRow } from './journal-block.ts';
import type { forced, notifications } from './schema.ts';

/** One live actor. `state` is the codec's text of its snapshot; `version` that of its machine's shape. */
export type ActorRow = { id: string; kind: string; version: number; state: string };

/** A partner message that is repeated until acknowledged. `body` is the codec's text of the message. */
export type OutboxRow = {
  key: string;
  queue: string | null;
  recipient: Address;
  messageId: bigint;
  nonce: bigint | null;
  /** The partners whose transfers the message passes on. */
  givers: readonly GivenBytes[];
  body: string;
};

/** A transaction job that waits for its confirmed receipt. `body` is the codec's text of the effect. */
export type JobRow = { key: string; actor: string; body: string };

/** A channel of this node, for as long as the database lives. */
export type ChannelRow = { id: string; token: Address; partner: Address; openBlock: bigint };

/** Something that the operator should do. */
export type NotificationRow = {
  id: (typeof notifications.$inferSelect)['id'];
  summary: string;
  body: string;
  urgency: 'normal' | 'high';
};

/** All that a caller with a budget has paid of a token in an hour, counted since 1970. */
export type BudgetRow = { caller: string; token: Address; hour: number; spent: bigint };

/**
 * Registrations of secrets that were forced on this node are charged to their payer, and to all strangers together if it
 * is one. `fullBlock`: the block in which the account will be as before.
 */
export type ForcedRow = typeof forced.$inferSelect;

/** A call of the API that may be repeated: digests of who called, of the key, and of what was asked for. */
export type KeyedCall = { caller: Hex; key: Hex; content: Hex };

/**
 * A call that has begun something. `request`: under which the actors answer; `paymentId`: of the payment that it began;
 * null: none.
 */
export type CallRow = KeyedCall & { request: string; paymentId: bigint | null };

/** `answer`: the codec's text of what became of the call. */
export type CallEnd = Pick<KeyedCall, 'caller' | 'key'> & { answer: string };

/**
 * A received payment is redeemed, or, with null, is as if it never was. `request`: under which; `received`: when the payment
 * came, in milliseconds since 1970.
 */
export type RedemptionRow = {
  secrethash: Hash;
  paymentId: bigint;
  request: string | null;
  received: number;
};

export type Batch = {
  actors: ActorRow[];
  /** Actors that have ended: their rows are deleted. */
  retired: string[];
  /** Those of them that left no payment in the history: their ids are stored as ended. */
  ended: string[];
  /** Channels that have left the chain: none of their balance proofs is needed any more. */
  gone: string[];
  /** Secrets that were registered on chain; each is also stored among the ended ids. */
  registered: { secrethash: Hash; block: bigint }[];
  outbox: OutboxRow[];
  outboxDone: string[];
  jobs: JobRow[];
  jobsDone: string[];
  proofs: RecordProof[];
  payments: RecordPayment[];
  /** Transfers that were passed on: counted when the commit is done, not written. */
  mediations: RecordMediated[];
  /** Each row is a new sum for its hour, and the last one counts. */
  budgets: BudgetRow[];
  /** Each row is the account's new content, and the last one counts. */
  forced: ForcedRow[];
  /** Calls that this commit begins. */
  calls: CallRow[];
  /** Those whose outcome this commit decides, begun in it or earlier. */
  callsEnded: CallEnd[];
  /** One after the other: of several about one payment the last one counts. */
  redemptions: RedemptionRow[];
  alerts: RecordAlert[];
  /** Confirmed logs of own channels, for the channel events query. */
  logs: { channel: string; log: ChainLog }[];
  journal: JournalRow[];
  /** Channels that were spawned. */
  channels: ChannelRow[];
  /** Conditions that hold; the feed reports one when it begins. */
  notifications: NotificationRow[];
  /** Conditions that do not hold; when one begins to hold again, the feed reports it again. */
  over: NotificationRow['id'][];
  /** How far the blocks are applied; null when no block was applied. */
  cursor: AppliedUpTo | null;
  /**
   * The fork of a reorganisation that replaced processed blocks: logs above it are deleted, and it becomes the
   * cursor. Else null.
   */
  fork: Fork | null;
  /** Milliseconds since 1970, for `log_time` only. */
  time: number;
  /** The newest confirmed block. */
  block: bigint;
};

/** A batch that writes nothing yet. */
export function emptyBatch(): Batch {
  return {
    actors: [],
    retired: [],
    ended: [],
    gone: [],
    registered: [],
    outbox: [],
    outboxDone: [],
    jobs: [],
    jobsDone: [],
    proofs: [],
    payments: [],
    mediations: [],
    budgets: [],
    forced: [],
    calls: [],
    callsEnded: [],
    redemptions: [],
    alerts: [],
    logs: [],
    journal: [],
    channels: [],
    notifications: [],
    over: [],
    cursor: null,
    fork: null,
    time: 0,
    block: 0n,
  };
}

/**
 * The first contradiction in the batch, for a person; null when there is none. The lists of a batch are written one after
 * the other (commit.ts), so of two entries about the same thing the one in the later list would win, whichever was made
 * last. A batch with both is a mistake of this program and must not reach the disk:
 *
 * - a live row and the end of the same actor: the row would be deleted, and after a restart no actor would do what
 *   this one still had to do;
 * - a live row and the lasting mark of the end of the same actor: after a restart it would live and count as ended;
 * - a message or a transaction job and its end: the row would be deleted although it may be the newer one. A row that
 *   ends before it was written is never written (turn.ts);
 * - two rows for one actor, message or job: the second would silently replace the first.
 *
 * The other lists need no such rule. `retired` and `ended` name the same actors on purpose. The table itself refuses
 * two proofs with one nonce. Payments, mediations, alerts, logs, journal rows, channels and registered secrets are
 * only added. Each row of `budgets` and `forced` is a new sum, and the last one counts, as the last one of `redemptions` does. `over` is written before `notifications`:
 * a condition in both has ended and begun again. `cursor` is one value, the last one given.
 */
export function contradictionIn(batch: Batch): string | null {
  const actors = batch.actors.map(({ id }) => id);
  const messages = batch.outbox.map(({ key }) => key);
  const jobs = batch.jobs.map(({ key }) => key);
  return (
    inBoth(actors, batch.retired, 'is written and retired') ??
    inBoth(actors, batch.ended, 'is written and marked as ended') ??
    inBoth(messages, batch.outboxDone, 'is posted and done') ??
    inBoth(jobs, batch.jobsDone, 'is asked for and done') ??
    twiceIn(actors, 'is written twice') ??
    twiceIn(messages, 'is posted twice') ??
    twiceIn(jobs, 'is asked for twice')
  );
}

function inBoth(some: readonly string[], others: readonly string[], what: string): string | null {
  if (some.length === 0 || others.length === 0) return null;
  const known = new Set(others);
  const found = some.find((one) => known.has(one));
  return found === undefined ? null : `${found} ${what}`;
}

function twiceIn(all: readonly string[], what: string): string | null {
  if (new Set(all).size === all.length) return null;
  const found = all.find((one, at) => all.indexOf(one) !== at);
  return `${found} ${what}`;
}
