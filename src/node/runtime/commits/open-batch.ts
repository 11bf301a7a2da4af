/**
 * What turns have gathered for the next commit, and what is to be done after it. Its rules are its own: of two messages
 * under one key the newer counts, and what begins and ends in one batch never reaches the disk.
 */
import type { Reply, ReportRoute, Resend, SendOnce, Tx } from '../../../../machines/effects.ts';
import { type ActorRow, type Batch, emptyBatch } from '../../../store/base/batch.ts';
import { encode } from '../../../store/base/codec.ts';

/** What is to be done once a batch is on disk, in order. */
export type Afterwards =
  /** The message may be gone, or replaced by another under the same key, when its turn comes. */
  | { type: 'publish'; key: string; messageId: bigint }
  | SendOnce
  | Resend
  | Tx
  | AnswerEffect
  | ReportRoute
  | { type: 'forgetJob'; key: string }
  | { type: 'sweep' };
/** `isAtOnce`: it is given in the turn that asked for it. */
export type AnswerEffect = Reply & { isAtOnce?: true };
export type OpenBatch = ReturnType<typeof openBatch>;
/** A batch to which nothing is added any more. `changed`: the actors whose state it writes. */
export type SealedBatch = {
  batch: Batch;
  changed: ReadonlySet<string>;
  afterwards: readonly Afterwards[];
};

export function openBatch() {
  const batch = emptyBatch();
  const afterwards: Afterwards[] = [];
  const changed = new Set<string>();
  const posted = new Map<string, Batch['outbox'][number]>();
  /** Keys under which an older message may be on disk. */
  const replaced = new Set<string>();
  const done = new Set<string>();
  /** Channels with changes that are not signed yet. */
  const unsigned = new Set<string>();

  return {
    /** The rows that nothing but their own list concerns. */
    batch,
    /** The actor's state is written when the batch is sealed. */
    change: (id: string) => void changed.add(id),
    /** The channel is to sign before the batch is written. */
    signLater: (id: string) => void unsigned.add(id),
    /** The channels that are to sign; they are asked once. */
    takeUnsigned(): string[] {
      const taken = [...unsigned];
      unsigned.clear();
      return taken;
    },
    /** How many rows it has of actors and messages. */
    rows: () => changed.size + posted.size,
    /** Whether there is anything to do after it. */
    hasAfterwards: () => afterwards.length > 0,
    isAnyDone: () => done.size > 0,
    /** A message for the outbox. `isKnown`: an older one under its key waits there. */
    post(row: Batch['outbox'][number], isKnown: boolean): void {
      // An older message under this key may be on disk until the commit, even when it is done already.
      if (isKnown || done.has(row.key)) replaced.add(row.key);
      done.delete(row.key);
      posted.set(row.key, row);
      afterwards.push({ type: 'publish', key: row.key, messageId: row.messageId });
    },
    /** The message is done; if it is of this batch, it never reaches the disk. */
    settle(key: string): void {
      const isNew = posted.delete(key) && !replaced.has(key);
      if (!isNew) done.add(key);
    },
    /** Keeps an effect for after the commit; a transaction is also stored until its end is confirmed. */
    later(effect: SendOnce | Resend | Tx | ReportRoute | AnswerEffect): void {
      if ('key' in effect && 'from' in effect)
        batch.jobs.push({ key: effect.key, actor: effect.from, body: encode(effect) });
      afterwards.push(effect);
    },
    /** The job is over, and forgotten in the commit that tells its actor. */
    endJob(key: string): void {
      batch.jobsDone.push(key);
      afterwards.push({ type: 'forgetJob', key });
    },
    /** The actor has ended. `isEnded`: only its id remembers it. `isGone`: it was a channel, which leaves much to delete. */
    retire(id: string, { isEnded, isGone }: { isEnded: boolean; isGone: boolean }): void {
      changed.delete(id);
      batch.retired.push(id);
      if (isEnded) batch.ended.push(id);
      if (!isGone) return;
      batch.gone.push(id);
      afterwards.push({ type: 'sweep' });
    },
    /** An actor that has ended begins again. */
    unretire(id: string): void {
      batch.retired = batch.retired.filter((retired) => retired !== id);
    },
    /** Whether it holds anything that must be written to disk. */
    isForDisk(): boolean {
      if (batch.cursor !== null || changed.size + posted.size + done.size > 0) return true;
      return Object.values(batch).some((rows) => Array.isArray(rows) && rows.length > 0);
    },
    /** Adds the rows of the changed actors, and the messages that are new or done. Nothing may be added after this. */
    seal(
      rowOf: (id: string) => ActorRow | null,
      { journal, time, block }: Pick<Batch, 'journal' | 'time' | 'block'>,
    ): SealedBatch {
      for (const id of changed) {
        const row = rowOf(id);
        if (row !== null) batch.actors.push(row);
      }
      batch.outbox.push(...posted.values());
      batch.outboxDone.push(...done);
      return { batch: Object.assign(batch, { journal, time, block }), changed, afterwards };
    },
  };
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
