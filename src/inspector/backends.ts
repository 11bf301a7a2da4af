/** Where a teller runs: in a thread of its own, or in slices on the node's own thread. */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Inspection, Journal } from '../node/api/inspection.ts';
import { replayTools } from './history.ts';
import type { StartBackend } from './supervisor.ts';
import { createTeller, type ReplayTools, type Reply } from './teller.ts';

const GRACE_MS = 1_000;
/** Of the thread alone: what it derives must never cost the node its memory. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * A thread can only read a file, and only run what was built: from the sources, and for a database in
 * memory, the journal is told in slices on this thread.
 */
export function backendFor(journal: Inspection['journal']): StartBackend {
  const isBuilt = import.meta.url.endsWith('.js');
  return journal.file !== null && isBuilt
    ? inThread(journal.file)
    : inSlices(journal, replayTools(journal));
}

function inThread(file: string): StartBackend {
  return ({ onReply, onEnd }) => {
    // Found from this room, and from the one file that the program is built into.
    const thread = new Worker(new URL('../inspector/thread.js', import.meta.url), {
      name: 'inspector',
      workerData: { file },
      resourceLimits: LIMITS,
      // Nothing in it needs what the environment may hold.
      env: {},
    });
    const ended = new Promise<void>((resolve) => {
      thread.once('exit', () => resolve());
    });
    thread.on('message', (reply: Reply) => onReply(reply));
    // Not only once: an error that nobody listens to would end the node.
    thread.on('error', (error) => onEnd(error.message));
    thread.once('exit', (code) => onEnd(`it ended with ${code}`));
    thread.unref();
    return {
      post: (ask) => thread.postMessage(ask),
      async end() {
        // Whoever waits for it is ending the node: that goes on only while something keeps the process.
        thread.ref();
        thread.postMessage({ type: 'end' });
        await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
        await thread.terminate();
      },
    };
  };
}

export function inSlices(journal: Journal, tools: ReplayTools): StartBackend {
  return ({ onReply, onEnd }) => {
    const teller = createTeller({
      journal,
      ...tools,
      reply: onReply,
      onFailure: (error) => onEnd(String(error)),
    });
    return {
      post: (ask) => (ask.type === 'end' ? teller.end() : teller.receive(ask)),
      async end() {
        teller.end();
      },
    };
  };
}
