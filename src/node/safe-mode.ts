/**
 * Safe mode is what still runs after a node has failed: it offers no API and takes no partner messages, but it watches
 * the chain and keeps deadlines, from the last state on disk, as long as a partner could close a channel with an old
 * balance proof.
 */

import { silence } from './messaging/silence.ts';
import { assemble } from './node.ts';
import type { NodeParts, NodeSettings } from './runtime/parts.ts';

const LOOK_MS = 1_000;

/**
 * Runs on fresh parts, with the database opened again. `done` resolves when the chain was read to its head, every
 * channel has left the chain, and no transaction is on its way: then it is safe to end the process. `onFatal` of the
 * parts is called when safe mode cannot go on either.
 */
export function startSafeMode(settings: NodeSettings, parts: Omit<NodeParts, 'transport'>) {
  const node = assemble(settings, { ...parts, transport: silence });
  /** How many channels are open, in dispute, or have locks to be unlocked. */
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
