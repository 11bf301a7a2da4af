/** The way of a node that failed into safe mode, and out of it. */
import type { Log } from '../protocol/environment.ts';
import { runSafeMode, type SafeModeRequest, type SafeModeRun } from './run-safe-mode.ts';

type Options = {
  log: Log;
  /** Ends the API and the node, and gives the database back; what fails in it is no reason to guard nothing. */
  giveBack(): Promise<void>;
  request(): SafeModeRequest;
  /** Nobody caught this error while the node was running. */
  onUncaught(error: unknown): void;
};

export function createSafeMode({ log, giveBack, request, onUncaught }: Options) {
  let running: SafeModeRun | null = null;
  let isStopped = false;
  return {
    /** Resolves when the process may end. */
    async enter(): Promise<void> {
      await giveBack();
      if (isStopped) return;
      running = runSafeMode(request());
      await running.done;
    },
    fail(error: unknown): void {
      log.error({ error: String(error) }, 'nobody caught an error');
      if (running === null) onUncaught(error);
      else running.fail();
    },
    async stop(): Promise<void> {
      isStopped = true;
      await running?.stop();
    },
  };
}
