/**
 * One turn, one commit, then effects: the rule that keeps people's money safe.
 *
 * An event is delivered, and actors send events to each other until none is left; the turn joins the open batch; before
 * that is written, each channel signs what it has changed; the batch is written in one transaction; only when that is on disk is anything sent out of the process. Turns share
 * commits: a batch is written when all events at hand are handled and the batch before it is on disk, or when it is large.
 */

import type { Reply, ReportRefused } from '../../../../machines/effects.ts';
import type { Fault } from '../../../basics/fault.ts';
import type { Hash } from '../../../basics/hex.ts';
import type { ActorRow, Batch, ForcedRow } from '../../../store/base/batch.ts';
import { isSecretUsed, type UsedSecrets, withOpen } from '../knowledge/secrethashes.ts';
import { createBatchSize } from './batch-size.ts';
import { type CommitOptions, createCommits } from './commits.ts';
import { createDelivery, type Delivery, type DeliveryOptions } from './delivery.ts';
import { createJournalWriter } from './journal-writer.ts';
import { openBatch, type SealedBatch } from './open-batch.ts';

export type Engine = ReturnType<typeof createEngine>;

/** Most journal rows that wait for a commit when nothing else needs one. */
const MOST_WAITING = 200;

export type EngineOptions = DeliveryOptions & {
  /** What it knows of ended payments is joined with what is not written yet. */
  store: CommitOptions['store'] & UsedSecrets;
  /** Called with each batch that is on disk, before anything follows from it. */
  onDurable(batch: Batch): void;
  /** Rows of the updates that began to be promised, or are promised no more, since this was asked last. */
  changedPrices(): ForcedRow[];
  now(): number;
  elapsed(): number;
  /** How many steps the journal keeps. */
  journalLimit: number;
  /** Called for every commit, in tests: throws when the states of the actors contradict each other. */
  audit?: () => void;
  onFatal(error: unknown): void;
  fault: Fault;
};

export function createEngine(options: EngineOptions) {
  const { actors, outbox } = options;
  const journal = createJournalWriter({ limit: options.journalLimit, now: options.now });
  const size = createBatchSize();
  let open = openBatch();
  let scheduled: NodeJS.Immediate | null = null;
  let broken = false;

  /** Which payments and actors have ended, on disk or in the open batch. */
  const known = () => withOpen(options.store, open.batch);
  const delivery = createDelivery(options, { journal, known, open: () => open });

  function guarded(work: () => void) {
    if (broken) return;
    try {
      work();
    } catch (error) {
      // The state in memory can no longer be trusted: nothing of this batch may be written or sent.
      broken = true;
      open = openBatch();
      options.onFatal(error);
    }
  }

  const commits = createCommits(
    {
      ...options,
      onDurable({ batch }) {
        options.onDurable(batch);
        options.audit?.();
      },
      perform: ({ afterwards, changed }) => options.tell('written', afterwards, changed),
      protect: ({ afterwards }) => options.tell('onDisk', afterwards),
    },
    guarded,
  );

  /** Writes the open batch, unless nothing in it has to be on disk or to be done. */
  function write() {
    if (scheduled !== null) clearImmediate(scheduled);
    scheduled = null;
    const turns = size.close();
    // Journal rows of steps that changed nothing wait for the next necessary commit: a partner's junk causes none.
    const mustWrite = open.isForDisk() || journal.size() >= MOST_WAITING;
    if (!mustWrite && !open.hasAfterwards()) return;
    guarded(() => {
      signAll();
      const sealed = sealedBatch(mustWrite);
      const begin = options.elapsed();
      commits.write(sealed, goOn);
      size.note(turns, options.elapsed() - begin);
    });
  }

  /** What the turns of the batch have changed in a channel is signed together: one balance proof for all of it. */
  function signAll() {
    for (const to of open.takeUnsigned()) delivery.run({ to, event: { type: 'actor.sign' } });
  }

  /** Closes the open batch, and opens the next. */
  function sealedBatch(withJournal: boolean): SealedBatch {
    open.batch.forced.push(...options.changedPrices());
    const stamp = { time: options.now(), block: options.nowBlock() };
    const rows = { journal: withJournal ? journal.take() : [], ...stamp };
    const sealed = open.seal((id) => signedRow(actors, id), rows);
    open = openBatch();
    return sealed;
  }

  /**
   * Turns that came while a batch was on its way to the disk share the next one. So do those of a burst, which takes
   * several rounds of the loop so that none of them is long.
   */
  function writeWhenFree() {
    scheduled = null;
    if (isFull(1)) return write();
    if (commits.isWaiting()) return size.hasWaited();
    return size.isGrowing() ? goOn() : write();
  }
  const isFull = (times: number) => size.isFull(open.rows() + journal.size(), times);

  function goOn() {
    if (!size.isEmpty()) scheduled ??= setImmediate(writeWhenFree);
  }

  /** A full batch is written in a round of its own, unless the turns of this one have filled it twice. */
  function schedule() {
    size.add();
    return isFull(2) ? write() : goOn();
  }

  /** When it returns, everything that was handled so far is on disk. */
  function flush() {
    write();
    guarded(() => commits.settle());
  }

  return {
    /** Writes what was handled so far; the disk may have it later. */
    write,
    collect: delivery.collect,
    /**
     * One turn: delivers these events and what follows from them; each is drawn after the one before has taken effect.
     * Answers why a partner's message among them was refused; null: none was. `also`: writes what no actor decides, and
     * answers who asked for it.
     */
    turn(
      deliveries: Iterable<Delivery>,
      also: (batch: Batch, answer: (reply: Reply) => void) => void = () => {},
    ): ReportRefused | null {
      let refusal: ReportRefused | null = null;
      guarded(() => {
        also(open.batch, delivery.answer);
        for (const one of deliveries) refusal = delivery.run(one) ?? refusal;
        schedule();
      });
      return refusal;
    },
    /**
     * Called when the partner acknowledged a message. Its row is deleted with the next commit, or at the next tick
     * (`writeDone`); should the process die before, the message is repeated and acknowledged again.
     */
    acknowledge(messageId: bigint, sender: string) {
      guarded(() => outbox.acknowledge(messageId, sender).forEach(open.settle));
    },
    /** Writes which messages are done, unless a commit has written it already. */
    writeDone() {
      if (open.isAnyDone()) write();
    },
    /** Delivers the outcome of a job to its actor; the job is forgotten in the same commit. */
    endJob(key: string, outcome: Delivery) {
      guarded(() => {
        open.endJob(key);
        delivery.run(outcome);
        schedule();
      });
    },
    flush,
    /** When it returns, everything that is written is on disk; what is only handled may not be written yet. */
    settle: () => guarded(() => commits.settle()),
    /** Whether a payment with this secrethash is or was on its way, up to this very turn. */
    isSecretUsed: (secrethash: Hash): boolean => isSecretUsed(actors, known(), secrethash),
    isBroken: () => broken,
    /** Flushes for the last time; no event is taken any more. */
    close() {
      flush();
      broken = true;
    },
  };
}

/** Throws when the row would hold what is not signed: after a restart this node would not know that it is not. */
export function signedRow(
  actors: Pick<EngineOptions['actors'], 'stateOf' | 'rowOf'>,
  id: string,
): ActorRow | null {
  const state = actors.stateOf(id);
  if (state?.kind === 'channel' && state.context.unsigned !== null)
    throw new Error(`${id} would be written with changes that it has not signed`);
  return actors.rowOf(id);
}
