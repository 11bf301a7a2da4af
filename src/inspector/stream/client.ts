/**
 * The part of the stream that runs on the node's own thread: it passes text from the worker on to the readers. When the
 * worker is lost, the readers get a gap, and the node is not disturbed.
 */
import type { Inspection } from '../../node/api/inspection.ts';
import type { Watch } from './readers.ts';
import { createSupervisor, type StartWorker } from './supervisor.ts';
import type { HistoryQuestion, WorkerReply } from './worker.ts';

type Bytes = Uint8Array<ArrayBuffer>;
/** `next`: resolves with the next text, or with null when the stream has ended; one call at a time. */
export type StreamReader = { next(): Promise<Bytes | null>; end(): void };
export type StreamClient = ReturnType<typeof createStreamClient>;

/** Milliseconds in which commits are gathered into one message to the worker. */
const GATHER_MS = 20;
/** The most histories that are asked for at a time: with more, readers of the stream would wait too long. */
const MOST_QUESTIONS = 32;

type Options = {
  journal: Pick<Inspection['journal'], 'onNew'>;
  start: StartWorker;
  onFailure: (error: unknown) => void;
};
type Waiting = {
  watch: Watch;
  /** Resolves the reader's open `next`; null when the reader is not asking. */
  resolve: ((bytes: Bytes | null) => void) | null;
};

export function createStreamClient({ journal, start, onFailure }: Options) {
  const readers = new Map<number, Waiting>();
  const questions = new Map<number, (bytes: Bytes | null) => void>();
  const isNeeded = () => readers.size + questions.size > 0;
  const supervisor = createSupervisor({ start, isNeeded, onReply, onStarted, onLost });
  let newest = 0;
  let isGathering = false;
  let unsubscribe: (() => void) | null = null;

  function onReply(reply: Exclude<WorkerReply, { type: 'pong' }>) {
    if (reply.type === 'history') {
      questions.get(reply.id)?.(reply.bytes);
      questions.delete(reply.id);
      return releaseIfIdle();
    }
    const reader = readers.get(reply.id);
    if (reader === undefined) return;
    reader.watch = { ...reader.watch, after: reply.at };
    const { resolve } = reader;
    reader.resolve = null;
    resolve?.(reply.bytes);
  }

  function onStarted(): void {
    for (const [id, { watch, resolve }] of readers) {
      supervisor.post({ type: 'open', id, watch });
      if (resolve !== null) supervisor.post({ type: 'next', id });
    }
  }

  /** The step that broke this worker may break the next one too: the readers go on after it. */
  function onLost(reason: string): void {
    onFailure(new Error(`the worker of the inspector's stream was lost: ${reason}`));
    for (const reader of readers.values()) reader.watch = { ...reader.watch, patience: 0 };
    for (const answer of questions.values()) answer(null);
    questions.clear();
  }

  /** Called after each commit of the node, so it only looks at a flag. */
  function onNew(): void {
    if (isGathering) return;
    isGathering = true;
    const timer = setTimeout(() => {
      isGathering = false;
      supervisor.post({ type: 'new' });
    }, GATHER_MS);
    timer.unref();
  }

  function releaseIfIdle(): void {
    if (readers.size > 0) return;
    unsubscribe?.();
    unsubscribe = null;
    if (questions.size === 0) supervisor.release();
  }

  function close(id: number): void {
    const reader = readers.get(id);
    if (reader === undefined) return;
    readers.delete(id);
    reader.resolve?.(null);
    supervisor.post({ type: 'close', id });
    releaseIfIdle();
  }

  return {
    watch(watch: Watch): StreamReader {
      newest += 1;
      const id = newest;
      unsubscribe ??= journal.onNew(onNew);
      const isThere = supervisor.need();
      readers.set(id, { watch, resolve: null });
      if (isThere) supervisor.post({ type: 'open', id, watch });
      return {
        next: () =>
          new Promise((resolve) => {
            const reader = readers.get(id);
            if (reader === undefined) return resolve(null);
            reader.resolve = resolve;
            supervisor.post({ type: 'next', id });
          }),
        end: () => close(id),
      };
    },
    /** The body of the answer; null when the worker cannot give it now. */
    history: (question: HistoryQuestion): Promise<Bytes | null> =>
      new Promise((resolve) => {
        if (questions.size >= MOST_QUESTIONS || !supervisor.need()) return resolve(null);
        newest += 1;
        questions.set(newest, resolve);
        supervisor.post({ type: 'history', id: newest, ...question });
      }),
    end(): Promise<void> {
      for (const id of [...readers.keys()]) close(id);
      for (const answer of questions.values()) answer(null);
      questions.clear();
      return supervisor.end();
    },
  };
}
