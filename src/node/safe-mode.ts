/**
 * Safe mode, what goes on after a node has failed: no API and no partner messages, but the chain is watched
 * and deadlines are kept, from the last state on disk, as long as a partner could close with something old.
 */

import { silence } from './messaging/silence.ts';
import { assemble } from './node.ts';
import type { NodeParts, NodeSettings } from './runtime/parts.ts';

const LOOK_MS = 1_000;

/**
 * Runs on fresh parts, with the database opened again. `done` resolves when the chain was read to its head,
 * every channel has left it, and nothing is on its way: then it is safe to end the process. `onFatal` of the
 * parts means that it cannot go on.
 */
export function startSafeMode(settings: NodeSettings, parts: Omit<NodeParts, 'transport'>) {
  const node = assemble(settings, { ...parts, transport: silence });
  /** Open, in dispute, or with locks to be unlocked. */
  const channels = () => node.directory.ofToken(null).length;
  node.start();
  const done = new Promise<void>((resolve) => {
    const stopLooking = parts.clock.every(LOOK_MS, () => {
      if (!node.isQuiet() || channels() > 0) return;
      stopLooking();
      resolve();
    });
  });
  return { done, channels, stop: node.stop };
}
