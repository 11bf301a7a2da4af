/** Starts the thread of a run that is inspected. */
import { Worker } from 'node:worker_threads';
import { threadFile } from '../../inspector/stream/thread-file.ts';
import type { Ask, Goal, Reply, Subject } from './messages.ts';

export type Stage = { go(goal: Goal): void; end(): Promise<void> };
type Hooks = {
  onReply(reply: Reply): void;
  /** It ended by itself, and should not have. */
  onFailure(text: string): void;
};

/** Throws from the sources, from which no thread can run. */
export function startStage(subject: Subject, { onReply, onFailure }: Hooks): Stage {
  const file = threadFile(import.meta.url, 'simulation/inspect');
  if (file === null) throw new Error('the program is not built: run "npm run build"');
  // Nothing in it needs what the environment may hold; flags of the program may not fit a file.
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
