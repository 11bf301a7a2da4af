/** What the page shows: which nodes, and whether their time can be controlled. */

import { type Signal, signal } from '@preact/signals';
import { messageOf } from '../../basics/message-of.ts';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { createSource } from '../../inspector/source.ts';
import { type TimeWatch, watchTime } from './time.ts';

export type NetworkSite = {
  /** Null: the server has not answered yet. */
  facts: Signal<{ nodes: DevnetNodes; time: TimeWatch | null } | null>;
  /** What went wrong, as text for the reader; null: nothing. */
  problem: Signal<string | null>;
  /** Reads anew which nodes there are. */
  again(): void;
};

/** `base`: with a slash at its end. */
export function readSite(base: string): NetworkSite {
  const facts: NetworkSite['facts'] = signal(null);
  const problem: NetworkSite['problem'] = signal(null);
  const again = () =>
    void createSource(base)
      .read('nodes', 'nodes')
      .then(
        (nodes) => {
          const time = nodes.hasTime === true ? (facts.value?.time ?? watchTime(base)) : null;
          facts.value = { nodes, time };
        },
        (error: unknown) => {
          problem.value = messageOf(error);
        },
      );
  again();
  return { facts, problem, again };
}
