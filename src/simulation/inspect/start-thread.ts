/** Starts the thread of an inspected run. */
import { Worker } from 'node:worker_threads';
import { threadFile } from '../../inspector/stream/thread-file.ts';
import type { Ask, Goal, Reply, Subject } from './messages.ts';

export type Stage = { go(goal: Goal): void; end(): Promise<void> };
type Hooks = {
  onReply(reply: Reply): void;
  /** Called when the thread ended by itself, which it should not. */
  onFailure(text: string): void;
};

/** Starts the thread. Throws when the program runs from its sources, as threads need the built files. */
export function startStage(subject: Subject, { onReply, onFailure }: Hooks): Stage {
  const file = threadFile(import.meta.url, 'simulation/inspect');
  if (file === null) throw new Error('the program is not built: run "npm run build"');
  // The thread needs nothing of the environment, and the flags of the main program may not suit it.
  const thread = new Worker(file, { name: 'simulation', env: {}, execArgv: [] });
  const ask = (message: Ask) => thread.postMessage(message);
  let isOver = false;

  function fail(text: string) {
    if (isOver) return;
    isOver = true;
    onFailure(text);
  }

  thread.on('message', (reply: Reply) => {
    if (!isOver) onReply(reply);
  });
  thread.on('error', (error) => fail(error.stack ?? error.message));
  thread.on('exit', (code) => fail(`the thread ended with ${code}`));
  ask({ type: 'perform', subject });
  return {
    go: (goal) => ask({ type: 'go', goal }),
    async end() {
      isOver = true;
      await thread.terminate();
    },
  };
}
