/** The way of a node that failed into safe mode, and out of it. */
import type { Log } from '../protocol/environment.ts';
import { type GuardedNode, type GuardRequest, guardNode } from './guard-node.ts';

type Options = {
  log: Log;
  /** Ends the API and the node, and gives the database back; what fails in it is no reason to guard nothing. */
  giveBack(): Promise<void>;
  request(): GuardRequest;
  /** Nobody caught this error while the node was running. */
  onUncaught(error: unknown): void;
};

export function createSafeMode({ log, giveBack, request, onUncaught }: Options) {
  let guarding: GuardedNode | null = null;
  let isStopped = false;
  return {
    /** Resolves when the process may end. */
    async guard(): Promise<void> {
      await giveBack();
      if (isStopped) return;
      guarding = guardNode(request());
      await guarding.done;
    },
    fail(error: unknown): void {
      log.error({ error: String(error) }, 'nobody caught an error');
      if (guarding === null) onUncaught(error);
      else guarding.fail();
    },
    async stop(): Promise<void> {
      isStopped = true;
      await guarding?.stop();
    },
  };
}
