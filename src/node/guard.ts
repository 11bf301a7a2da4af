/**
 * What goes on after an internal failure: no API and no partner messages, but the chain is watched and
 * open deadlines are kept, from the last state on disk, until nothing is at stake.
 */
import { assemble } from './node.ts';
import type { NodeParts, NodeSettings } from './parts.ts';
import { silence } from './silence.ts';

const LOOK_MS = 1_000;

/**
 * Runs on fresh parts, with the database opened again. Resolves when it is safe to end the process.
 * `onFatal` of the parts means that it cannot go on either.
 */
export function startGuard(settings: NodeSettings, parts: Omit<NodeParts, 'transport'>) {
  const node = assemble(settings, { ...parts, transport: silence });
  node.start();
  const done = new Promise<void>((resolve) => {
    const stopLooking = parts.clock.every(LOOK_MS, () => {
      if (!node.isQuiet()) return;
      stopLooking();
      resolve();
    });
  });
  return { done, stop: node.stop };
}
