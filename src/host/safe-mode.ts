/** Takes a failed node into safe mode, and out of it. */
import type { Log } from '../basics/environment.ts';
import { runSafeMode, type SafeModeRequest, type SafeModeRun } from './run-safe-mode.ts';

type Options = {
  log: Log;
  /** Ends the API and the node, and closes the database. A failure in it must not keep safe mode from starting. */
  giveBack(): Promise<void>;
  /** Resolves when the database lies on the disk. */
  whenWhole(): Promise<void>;
  request(): SafeModeRequest;
  /** Called with an uncaught error while the node was still running normally. */
  onUncaught(error: unknown): void;
};

export function createSafeMode({ log, giveBack, whenWhole, request, onUncaught }: Options) {
  let running: SafeModeRun | null = null;
  let isStopped = false;
  return {
    /** Resolves when the process may end. */
    async enter(): Promise<void> {
      await giveBack();
      await whenWhole();
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
