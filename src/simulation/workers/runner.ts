/** Runs one simulation at a time: in a thread of its own, or in this thread when the program is not built. */
import type { Worker } from 'node:worker_threads';
import { threadFile } from '../../inspector/stream/thread-file.ts';
import { NOTHING_MET } from '../explore/meetings.ts';
import { startThread } from '../parts/start-thread.ts';
import type { Progress } from '../run/play.ts';
import { crashSummary } from '../run/summary.ts';
import { carryOut, type Order, type Outcome, type Reply } from './order.ts';
import { realNow } from './real-clock.ts';
import type { Stopper } from './stopper.ts';

export type Runner = {
  run(order: Order, onProgress?: (progress: Progress) => void): Promise<Outcome>;
  end(): Promise<void>;
};
type Options = {
  stopper: Stopper;
  /** Runs in the caller's thread, whose globals are then those of the simulated world. */
  isHere?: boolean;
};

export function createRunner({ stopper, isHere = false }: Options): Runner {
  const file = isHere ? null : threadFile(import.meta.url, 'simulation/workers');
  return file === null ? runnerHere(stopper) : runnerInThread(file, stopper);
}

function runnerHere({ isStopped }: Stopper): Runner {
  return {
    run: (order, onProgress = () => {}) => carryOut(order, { isStopped, onProgress }),
    end: async () => {},
  };
}

/** An error that ends the thread ends only one run: the next one gets a new thread. */
function runnerInThread(file: URL, { memory }: Stopper): Runner {
  let thread: Worker | null = null;

  async function end() {
    const ending = thread;
    thread = null;
    await ending?.terminate();
  }

  async function run(order: Order, onProgress: (progress: Progress) => void = () => {}) {
    thread ??= quietThread(file, memory);
    const outcome = await answerOf(thread, order, onProgress);
    // After a crash the thread may be broken in other ways, too.
    if (outcome.summary.hasCrashed) await end();
    return outcome;
  }

  return { run, end };
}

function quietThread(file: URL, memory: SharedArrayBuffer): Worker {
  const thread = startThread(file, { memory });
  // Without a listener, an error would end the process.
  thread.on('error', () => {});
  return thread;
}

function answerOf(thread: Worker, order: Order, onProgress: (progress: Progress) => void) {
  const begun = realNow();
  return new Promise<Outcome>((resolve) => {
    const finish = (outcome: Outcome) => {
      thread.off('message', hear);
      thread.off('error', fail);
      thread.off('exit', leave);
      resolve(outcome);
    };
    const crash = (text: string) => {
      const summary = crashSummary(order.seed, text, Math.round(realNow() - begun));
      finish({ summary, result: null, events: [], payments: [], met: NOTHING_MET });
    };
    const hear = (reply: Reply) => {
      if (reply.type === 'outcome') finish(reply.outcome);
      else onProgress(reply.progress);
    };
    const fail = (error: Error) => crash(error.stack ?? error.message);
    const leave = (code: number) => crash(`the thread ended with ${code}`);
    thread.on('message', hear);
    thread.on('error', fail);
    thread.on('exit', leave);
    thread.postMessage(order);
  });
}
