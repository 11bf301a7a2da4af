/** Where the stream's worker runs: in a thread of its own, or in slices on the node's own thread. */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Inspection, Journal } from '../../node/api/inspection.ts';
import { replayTools } from '../replay/history.ts';
import type { StartWorker } from './supervisor.ts';
import { threadFile } from './thread-file.ts';
import { createWorker, type ReplayTools, type WorkerReply } from './worker.ts';

const GRACE_MS = 1_000;
/** Limits of the thread's memory: replays must never use up the node's. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * A worker in a thread, if the database is a file and the thread's program was built; else one that works in slices on
 * this thread.
 */
export function workerFor(journal: Inspection['journal']): StartWorker {
  const thread = threadFile(import.meta.url, 'inspector/stream');
  return journal.file !== null && thread !== null
    ? inThread(thread, journal.file)
    : workerInSlices(journal, replayTools(journal));
}

function inThread(code: URL, file: string): StartWorker {
  return ({ onReply, onEnd }) => {
    const thread = new Worker(code, {
      name: 'inspector',
      workerData: { file },
      resourceLimits: LIMITS,
      // Nothing in it needs what the environment may hold.
      env: {},
    });
    const ended = new Promise<void>((resolve) => {
      thread.once('exit', () => resolve());
    });
    thread.on('message', (reply: WorkerReply) => onReply(reply));
    // Not only once: an error that nobody listens to would end the node.
    thread.on('error', (error) => onEnd(error.message));
    thread.once('exit', (code) => onEnd(`it ended with ${code}`));
    thread.unref();
    return {
      post: (ask) => thread.postMessage(ask),
      async end() {
        // The node is ending and waits for this; an unreferenced thread would let the process end first.
        thread.ref();
        thread.postMessage({ type: 'end' });
        await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
        await thread.terminate();
      },
    };
  };
}

export function workerInSlices(journal: Journal, tools: ReplayTools): StartWorker {
  return ({ onReply, onEnd }) => {
    const worker = createWorker({
      journal,
      ...tools,
      reply: onReply,
      onFailure: (error) => onEnd(String(error)),
    });
    return {
      post: (ask) => (ask.type === 'end' ? worker.end() : worker.receive(ask)),
      async end() {
        worker.end();
      },
    };
  };
}
