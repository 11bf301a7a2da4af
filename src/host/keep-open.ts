/**
 * A node that restarts in the same process: when the chain has replaced blocks that it has followed, when the stream of its
 * replica is there, for which it had to wait, and when an empty one has taken the place of one that was lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isFenced, type Started, started } from './base/refusal.ts';
import type { NodeConfig, NodeHooks, OpenNode } from './node-config.ts';
import { openNode } from './open-node.ts';

const RETRY_MS = 2_000;

/** As `openNode`. `onFatal` is only called for failures from which the node cannot restart. */
export async function keepOpen(config: NodeConfig, hooks: NodeHooks): Promise<Started<OpenNode>> {
  let current: OpenNode | null = null;
  let isStopped = false;
  let reopening: Promise<void> = Promise.resolve();

  const begin = (chosen: NodeConfig) =>
    openNode(chosen, {
      ...hooks,
      onFatal(reason, kind) {
        if (kind === 'replaced' || kind === 'returned' || kind === 'renewing')
          reopening = reopening.then(() => reopen(reason, kind === 'renewing'));
        else hooks.onFatal(reason, kind);
      },
    });

  async function reopen(reason: string, renews: boolean): Promise<void> {
    // Waits for the first opening: before that its resources could not be released.
    await first;
    if (current === null || isStopped) return;
    hooks.log.warn({ reason }, 'the node begins again');
    const port = Number(new URL(current.apiUrl).port);
    await current.stop();
    // It has been the owner: whose place it took is over.
    const replica = config.replica ? { ...config.replica, takesFrom: null, renews } : null;
    const again = { ...config, replica, api: { ...config.api, port } };
    while (!isStopped && !(await beginAgain(again))) await delay(RETRY_MS);
  }

  /**
   * False when it has to be tried again: the channels must not stay unguarded because the endpoint is away for a
   * moment.
   */
  async function beginAgain(chosen: NodeConfig): Promise<boolean> {
    try {
      const again = await begin(chosen);
      if (again.ok) current = again.value;
      else hooks.log.error({ reason: again.message }, 'the node cannot begin again yet');
      const isOver = !again.ok && isFenced(again);
      if (isOver) hooks.onFatal(again.message, 'fenced');
      return again.ok || isOver;
    } catch (error) {
      hooks.log.error({ error: String(error) }, 'the node cannot begin again yet');
      return false;
    }
  }

  const first = begin(config).then((opened) => {
    if (opened.ok) current = opened.value;
    return opened;
  });
  const opened = await first;
  if (!opened.ok) return opened;
  const { value } = opened;
  const now = () => current ?? value;
  return started({
    ...value,
    get node() {
      return now().node;
    },
    status: () => now().status(),
    safeMode: () => now().safeMode(),
    fail: (error) => now().fail(error),
    async stop() {
      isStopped = true;
      await reopening;
      await now().stop();
    },
  });
}
