/** Writes one batch to the tables, as `src/store/commit.ts` does; when it throws, the caller undoes what it wrote. */
import type { RecordPayment, RecordProof } from '../../../machines/effects.ts';
import type { Batch, BudgetRow, NotificationRow } from '../../store/base/batch.ts';
import { contradictionIn } from '../../store/base/batch.ts';
import { encode } from '../../store/base/codec.ts';
import type { JournalRow } from '../../store/base/journal-block.ts';
import type { FeedRow } from '../../store/history/feed.ts';
import { entryOf, type PaymentRow, shownOf } from '../../store/history/payment-row.ts';
import { BUDGET_HOURS } from '../../store/tables/budgets.ts';
import { registeredId } from '../../store/tables/secrets.ts';
import { type Fork, thinned } from '../../store/tables/trail.ts';
import { amount, height, uint64 } from './numbers.ts';
import { joined } from './rows.ts';
import { depart } from './sweep.ts';
import { callKey, type Tables } from './tables.ts';

export function writeBatch(tables: Tables, batch: Batch): void {
  const contradiction = contradictionIn(batch);
  if (contradiction !== null) throw new Error(`disk: a batch in which ${contradiction}`);
  if (batch.fork !== null) forgetAbove(tables, batch.fork);
  writeActors(tables, batch);
  writeOwed(tables, batch);
  for (const proof of batch.proofs) tables.steps.put(checked(proof));
  for (const channel of batch.gone) depart(tables, { channel, time: batch.time });
  for (const row of batch.budgets) writeBudget(tables, row);
  writeForced(tables, batch);
  writeCalls(tables, batch);
  writeRedemptions(tables, batch);
  for (const { alert, channel, detail } of batch.alerts)
    tables.alerts.add({ alert, channel, detail, time: batch.time });
  for (const row of batch.channels) {
    height(row.openBlock);
    if (!tables.channels.has(row.id)) tables.channels.set(row.id, { ...row });
  }
  writeNews(tables, batch);
  writeJournal(tables, batch.journal);
  if (batch.cursor !== null) {
    const { block, hash, lastLog = null } = batch.cursor;
    const below = tables.facts().trail.filter((point) => point.block < block);
    tables.setFacts({ trail: thinned([{ block, hash }, ...below]), lastLog });
  }
}

function writeForced({ forced }: Tables, { forced: rows, block }: Batch): void {
  if (rows.length === 0) return;
  for (const row of rows) {
    height(row.fullBlock);
    forced.set(row.account, { ...row });
  }
  for (const [key, { fullBlock }] of forced.entries()) if (fullBlock <= block) forced.remove(key);
}

function writeCalls({ calls }: Tables, { calls: begun, callsEnded, time }: Batch): void {
  for (const { caller, key, content, request, paymentId } of begun) {
    const name = callKey({ caller, key });
    if (calls.has(name)) throw new Error(`disk: ${name} has a call`);
    if (paymentId !== null) amount(paymentId);
    calls.set(name, { caller, key, content, request, paymentId, answer: null, time });
  }
  for (const { answer, ...of } of callsEnded) {
    const before = calls.get(callKey(of));
    if (before !== undefined) calls.set(callKey(of), { ...before, answer, time });
  }
}

function writeRedemptions({ redemptions }: Tables, batch: Batch): void {
  for (const { secrethash, request, paymentId, received } of batch.redemptions) {
    if (request === null) redemptions.remove(secrethash);
    else redemptions.set(secrethash, { request, paymentId: amount(paymentId), received });
  }
}

function writeBudget({ budgets }: Tables, row: BudgetRow): void {
  amount(row.spent);
  budgets.set(`${row.caller} ${row.token} ${row.hour}`, { ...row });
  for (const [key, { hour }] of budgets.entries())
    if (hour < row.hour - BUDGET_HOURS) budgets.remove(key);
}

function writeActors({ actors, ended, registered }: Tables, batch: Batch): void {
  for (const { id, kind, version, state } of batch.actors)
    actors.set(id, { id, kind, version, state: joined(state) });
  for (const id of batch.retired) actors.remove(id);
  for (const id of batch.ended) {
    if (!id.startsWith(registeredId(''))) ended.add(id);
    else if (!registered.has(id)) registered.set(joined(id), null);
  }
  for (const { secrethash, block } of batch.registered)
    registered.set(registeredId(secrethash), height(block));
}

/** Writes the messages and transactions that still have to be sent. */
function writeOwed({ outbox, jobs }: Tables, batch: Batch): void {
  for (const row of batch.outbox) {
    amount(row.messageId);
    outbox.set(row.key, { ...row, body: joined(row.body) });
  }
  for (const key of batch.outboxDone) outbox.remove(key);
  for (const row of batch.jobs) jobs.set(row.key, { ...row, body: joined(row.body) });
  for (const key of batch.jobsDone) jobs.remove(key);
}

function checked(proof: RecordProof): RecordProof {
  uint64(proof.nonce);
  amount(proof.transferredAmount);
  amount(proof.lockedAmount);
  return proof;
}

/** Removes the logs of blocks above the fork: the chain does not have them any more. */
function forgetAbove(tables: Tables, fork: Fork): void {
  for (const [channel, logs] of tables.logs.entries()) {
    const left = logs.filter(({ block }) => block <= fork.block);
    if (left.length < logs.length) tables.logs.set(channel, left);
  }
  // A public secret stays public, but its block is no longer known.
  for (const [id, block] of tables.registered.entries())
    if (block !== null && block > fork.block) tables.registered.set(id, null);
  const trail = tables.facts().trail.filter(({ block }) => block <= fork.block);
  tables.setFacts({ trail, fork, lastLog: null });
}

/** Writes what the feed reports, each with its row of the feed. */
function writeNews(tables: Tables, batch: Batch): void {
  const { logs, payments, over, notifications, time } = batch;
  for (const entry of logs) if (addLog(tables, entry)) tellLog(tables, entry, time);
  for (const payment of payments) {
    const { time: _, ...body } = addPayment(tables, payment, batch);
    tell(tables, { kind: 'payment', body, time });
  }
  for (const id of over) setRaised(tables, id, false);
  for (const { id, summary, body, urgency } of notifications) {
    const notification = { id, summary, body, urgency };
    tables.notifications.set(id, { ...notification, time });
    if (setRaised(tables, id, true))
      tell(tables, { kind: 'notification', body: notification, time });
  }
}

/** Returns whether the log is new. */
function addLog({ logs }: Tables, { channel, log }: Batch['logs'][number]): boolean {
  const { logIndex } = log.at;
  const block = height(log.at.block);
  const known = logs.get(channel) ?? [];
  const isLater = (other: (typeof known)[number]) =>
    other.block > block || (other.block === block && other.logIndex >= logIndex);
  const found = known.findIndex(isLater);
  const at = found === -1 ? known.length : found;
  if (known[at]?.block === block && known[at]?.logIndex === logIndex) return false;
  logs.set(channel, known.toSpliced(at, 0, { block, logIndex, body: joined(encode(log)) }));
  return true;
}

function tellLog(tables: Tables, { channel, log }: Batch['logs'][number], time: number): void {
  const row = tables.channels.get(channel);
  if (row === undefined) return;
  const { token, partner } = row;
  tell(tables, { kind: 'channel', body: { token, partner, log }, time });
}

function tell({ feed }: Tables, row: Omit<FeedRow, 'seq'>): void {
  feed.add({ seq: feed.bounds().newest + 1, ...row });
}

/** Answers the entry of the history. */
function addPayment(
  { payments, secrethashes, feed, channels }: Tables,
  payment: RecordPayment,
  ended: Pick<Batch, 'time' | 'block'>,
): PaymentRow {
  const { secrethash, channel } = payment;
  if (channel !== null && !channels.has(channel))
    throw new Error(`disk: a payment over ${channel}, which is not known`);
  amount(payment.amount);
  amount(payment.paymentId);
  const row = shownOf(payment, ended, feed.bounds().newest + 1);
  const { seq, partner } = row;
  const block = height(row.block);
  const record = entryOf(row);
  payments.add({ seq, partner, channel, block, secrethash, record });
  secrethashes.add(secrethash);
  return record;
}

/** Returns whether that is a change. */
function setRaised(tables: Tables, id: NotificationRow['id'], holds: boolean): boolean {
  const { raised } = tables.facts();
  if (raised.has(id) === holds) return false;
  const others = [...raised].filter((other) => other !== id);
  tables.setFacts({ raised: new Set(holds ? [...others, id] : others) });
  return true;
}

function writeJournal({ journal }: Tables, rows: readonly JournalRow[]): void {
  if (rows.length === 0) return;
  const { newest } = journal.bounds();
  const commit = (journal.range(newest, newest)[0]?.commit ?? 0) + 1;
  let seq = newest;
  for (const { kind, actor, cause, causedBy, event, state, version, block, time } of rows) {
    seq += 1;
    // Written field by field: there are several rows for each payment, and spreading them is many times slower.
    journal.add({
      seq,
      commit,
      kind,
      actor,
      cause,
      causeSeq: causedBy === null ? null : newest + 1 + causedBy,
      event: joined(event),
      state: joined(state),
      version,
      block: height(block),
      time,
    });
  }
}
