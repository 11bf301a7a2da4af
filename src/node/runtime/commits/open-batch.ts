/** What turns have gathered for the next commit, and what is to be done after it. */
import type { Reply, ReportRoute, Resend, SendOnce, Tx } from '../../../../machines/effects.ts';
import { type ActorRow, type Batch, emptyBatch } from '../../../store/batch.ts';

/** What is to be done once a batch is on disk, in order. */
export type Afterwards =
  /** The message may be gone, or replaced by another under the same key, when its turn comes. */
  | { type: 'publish'; key: string; messageId: bigint }
  | SendOnce
  | Resend
  | Tx
  | Answer
  | ReportRoute
  | { type: 'forgetJob'; key: string }
  | { type: 'sweep' };
/** `isAtOnce`: it is given in the turn that asked for it. */
export type Answer = Reply & { isAtOnce?: true };
export type OpenBatch = ReturnType<typeof openBatch>;

export function openBatch() {
  const batch = emptyBatch();
  const afterwards: Afterwards[] = [];
  return {
    batch,
    changed: new Set<string>(),
    posted: new Map<string, Batch['outbox'][number]>(),
    /** Keys under which an older message may be on disk. */
    replaced: new Set<string>(),
    done: new Set<string>(),
    afterwards,
  };
}

/** Adds the rows of the changed actors, and the messages that are new or done. */
export function fill(
  { batch, changed, posted, done }: OpenBatch,
  rowOf: (id: string) => ActorRow | null,
): void {
  for (const id of changed) {
    const row = rowOf(id);
    if (row !== null) batch.actors.push(row);
  }
  batch.outbox.push(...posted.values());
  batch.outboxDone.push(...done);
}

/** Whether the batch holds anything that must be written to disk. */
export function isForDisk({ batch, changed, posted, done }: OpenBatch): boolean {
  if (batch.cursor !== null || changed.size + posted.size + done.size > 0) return true;
  return Object.values(batch).some((rows) => Array.isArray(rows) && rows.length > 0);
}

/** A new type of `SendOnce` has to be added here, or this does not compile. */
const SENT_ONCE: Readonly<Record<SendOnce['type'], true>> = {
  'send.processed': true,
  'send.consent': true,
  'send.sync': true,
};

/** Whether the message is sent once, without a place in the outbox. */
export function isSentOnce(item: { type: string }): item is SendOnce {
  return Object.hasOwn(SENT_ONCE, item.type);
}
