/**
 * Keeps a worker alive while somebody needs it: when the worker dies or hangs, another is started, after pauses that
 * grow. No timer of it keeps the process alive.
 */
import type { WorkerAsk, WorkerReply } from './worker.ts';

/** A worker, in a thread or on this one. `end` resolves when it runs no more. */
export type RunningWorker = { post(ask: WorkerAsk): void; end(): Promise<void> };
/** `onEnd`: called when the worker has ended without being told to. */
export type StartWorker = (hooks: {
  onReply(reply: WorkerReply): void;
  onEnd(reason: string): void;
}) => RunningWorker;

/** A worker silent for so long counts as hanging. It may just be slow: its thread has a low priority. */
const HANGS_MS = 20_000;
const LOOK_MS = 5_000;
const QUIET_MS = 30_000;
const PAUSES_MS = [100, 1_000, 5_000, 30_000];
/** A worker that lived so long was healthy: pauses begin again with the shortest. */
const HEALTHY_MS = 60_000;

type Options = {
  start: StartWorker;
  /** Whether anybody needs a worker, so that a lost one is replaced. */
  isNeeded(): boolean;
  onReply(reply: WorkerReply): void;
  /** Called when a new worker was started; it knows no reader yet. */
  onStarted(): void;
  /** Called when the worker was lost: what it was asked is not answered. */
  onLost(reason: string): void;
};
type Timer = ReturnType<typeof setTimeout>;

export function createSupervisor(options: Options) {
  const { start, isNeeded, onReply, onStarted, onLost } = options;
  let worker: RunningWorker | null = null;
  let isEnded = false;
  let losses = 0;
  let startedAt = 0;
  let heardAt = 0;
  let looking: Timer | null = null;
  let pausing: Timer | null = null;
  let ending: Timer | null = null;
  /** Resolves when all workers that were dropped so far have ended. */
  let stopped: Promise<unknown> = Promise.resolve();

  function begin(): void {
    let own: RunningWorker;
    try {
      own = start({
        onReply(reply) {
          if (worker !== own) return;
          heardAt = performance.now();
          if (reply.type !== 'pong') onReply(reply);
        },
        onEnd: (reason) => lose(own, reason),
      });
    } catch (error) {
      // The system has no room for another thread. Thrown out of a timer, this would end the node.
      tryLater(String(error));
      return;
    }
    worker = own;
    startedAt = performance.now();
    heardAt = startedAt;
    looking = setInterval(look, LOOK_MS);
    looking.unref();
    onStarted();
  }

  function look(): void {
    if (worker === null) return;
    if (performance.now() - heardAt > HANGS_MS) lose(worker, 'it does not answer');
    else worker.post({ type: 'ping' });
  }

  function lose(own: RunningWorker, reason: string): void {
    if (worker !== own || isEnded) return;
    void drop();
    if (performance.now() - startedAt > HEALTHY_MS) losses = 0;
    tryLater(reason);
  }

  function tryLater(reason: string): void {
    const pause = PAUSES_MS[Math.min(losses, PAUSES_MS.length - 1)] ?? 0;
    losses += 1;
    pausing = later(pause, () => {
      pausing = null;
      if (isNeeded()) begin();
    });
    onLost(reason);
  }

  function drop(): Promise<void> {
    const own = worker;
    worker = null;
    if (looking !== null) clearInterval(looking);
    if (own !== null) stopped = Promise.all([stopped, own.end()]);
    return stopped.then(() => {});
  }

  return {
    /** Starts a worker unless one runs. Answers whether there is one that can be asked now. */
    need(): boolean {
      if (ending !== null) clearTimeout(ending);
      ending = null;
      if (worker === null && pausing === null && !isEnded) begin();
      return worker !== null;
    },
    /** Called when nobody needs the worker any more, for now. */
    release(): void {
      ending ??= later(QUIET_MS, () => void drop());
    },
    post: (ask: WorkerAsk): void => worker?.post(ask),
    /** Ends for good; resolves when no worker that was ever started runs any more. */
    end(): Promise<void> {
      isEnded = true;
      for (const timer of [pausing, ending]) if (timer !== null) clearTimeout(timer);
      return drop();
    },
  };
}

function later(ms: number, work: () => void): Timer {
  const timer = setTimeout(work, ms);
  timer.unref();
  return timer;
}
