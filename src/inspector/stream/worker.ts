/**
 * The part of the stream that reads the journal and makes text of it, which takes time. Questions and answers are
 * messages, so that it can run in a thread of its own.
 */
import type { Journal } from '../../node/api/inspection.ts';
import { createWorkPace } from './pace.ts';
import { createReaders, type Watch } from './readers.ts';
import type { Replayer } from './steps.ts';

/**
 * `before` null: up to the newest step; `after`: only later ones. `about`: only steps that say one of these words, and the
 * oldest, from which on older ones are asked for; absent: all.
 */
export type HistoryQuestion = {
  actor: string;
  before: number | null;
  after?: number;
  about?: readonly string[];
  limit: number;
};
/** `next`: the reader wants more text. `new`: the journal has grown. A `ping` is answered with `pong`. */
export type WorkerAsk =
  | { type: 'open'; id: number; watch: Watch }
  | { type: 'next' | 'close'; id: number }
  | ({ type: 'history'; id: number } & HistoryQuestion)
  | { type: 'new' | 'ping' | 'end' };
/** `at`: as of `Piece`. */
export type WorkerReply =
  | { type: 'text'; id: number; at: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'history'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'pong' };

/** The share of one processor that it may use under a flood of steps. */
const SHARE = 0.05;

export type ReplayTools = {
  /** `limit`: actors that it keeps in memory. */
  createReplayer: (limit: number) => Replayer;
  /** The text of an answer's body. */
  history: (question: HistoryQuestion) => string;
};
type Options = ReplayTools & {
  journal: Journal;
  reply: (reply: WorkerReply) => void;
  /** Called when something was thrown: the worker is of no use any more. */
  onFailure: (error: unknown) => void;
};

export function createWorker(options: Options) {
  const { journal, createReplayer, history, reply, onFailure } = options;
  const encoder = new TextEncoder();
  const readers = createReaders({
    journal,
    createReplayer,
    send: ({ id, text, at }) => reply({ type: 'text', id, at, bytes: encoder.encode(text) }),
  });
  const pace = createWorkPace({
    work: (isOver) => guarded(() => readers.work(isOver)) ?? false,
    share: SHARE,
  });

  function guarded<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      onFailure(error);
      return null;
    }
  }

  function take(ask: Exclude<WorkerAsk, { type: 'end' }>) {
    switch (ask.type) {
      case 'open':
        return readers.open(ask.id, ask.watch);
      case 'close':
        return readers.close(ask.id);
      case 'next':
        readers.ask(ask.id);
        return pace.wake();
      case 'new':
        return pace.wake();
      case 'history':
        return reply({ type: 'history', id: ask.id, bytes: encoder.encode(history(ask)) });
      case 'ping':
        return reply({ type: 'pong' });
    }
  }

  return {
    receive: (ask: Exclude<WorkerAsk, { type: 'end' }>): void => void guarded(() => take(ask)),
    end: pace.end,
  };
}
