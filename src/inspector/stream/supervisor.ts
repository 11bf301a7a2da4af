/**
 * Keeps a worker alive while somebody needs it: one that dies or hangs is started again, after growing
 * pauses. Nothing here keeps the process alive.
 */
import type { Ask, Reply } from './worker.ts';

/** A worker somewhere. `end` resolves when nothing of it runs any more. */
export type RunningWorker = { post(ask: Ask): void; end(): Promise<void> };
/** `onEnd`: it has ended by itself. */
export type StartWorker = (hooks: {
  onReply(reply: Reply): void;
  onEnd(reason: string): void;
}) => RunningWorker;

/** A worker that has said nothing for so long hangs. It may be slow: it has a low priority. */
const HANGS_MS = 20_000;
const LOOK_MS = 5_000;
const QUIET_MS = 30_000;
const PAUSES_MS = [100, 1_000, 5_000, 30_000];
/** After it, a loss is a first one again. */
const HEALTHY_MS = 60_000;

type Options = {
  start: StartWorker;
  /** Whether a lost one is worth another. */
  isNeeded(): boolean;
  onReply(reply: Reply): void;
  /** A new one is there, which knows of nobody. */
  onStarted(): void;
  /** The one that was asked will not answer. */
  onLost(reason: string): void;
  timing?: { hangsMs: number; lookMs: number; quietMs: number };
};
type Timer = ReturnType<typeof setTimeout>;

export function createSupervisor(options: Options) {
  const { start, isNeeded, onReply, onStarted, onLost, timing } = options;
  const { hangsMs = HANGS_MS, lookMs = LOOK_MS, quietMs = QUIET_MS } = timing ?? {};
  let worker: RunningWorker | null = null;
  let isEnded = false;
  let losses = 0;
  let startedAt = 0;
  let heardAt = 0;
  let looking: Timer | null = null;
  let pausing: Timer | null = null;
  let ending: Timer | null = null;
  /** All that were dropped so far have ended. */
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
      // A system without room for one more thread. Out of a timer, it would end the node.
      tryLater(String(error));
      return;
    }
    worker = own;
    startedAt = performance.now();
    heardAt = startedAt;
    looking = setInterval(look, lookMs);
    looking.unref();
    onStarted();
  }

  function look(): void {
    if (worker === null) return;
    if (performance.now() - heardAt > hangsMs) lose(worker, 'it does not answer');
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
    /** Whether there is one that can be asked now; if there can be one, there is. */
    need(): boolean {
      if (ending !== null) clearTimeout(ending);
      ending = null;
      if (worker === null && pausing === null && !isEnded) begin();
      return worker !== null;
    },
    /** Nobody needs it any more, for now. */
    release(): void {
      ending ??= later(quietMs, () => void drop());
    },
    post: (ask: Ask): void => worker?.post(ask),
    /** For ever; resolves when nothing runs any more that was ever started. */
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
