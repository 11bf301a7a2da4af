/** What the page shows: which nodes, and whether their time can be controlled. */
import { type Signal, signal } from '@preact/signals';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { createSource } from '../../inspector/source.ts';
import { type TimeWatch, watchTime } from './time.ts';

export type Site = {
  /** Null: the server has not answered yet. */
  facts: Signal<{ nodes: DevnetNodes; time: TimeWatch | null } | null>;
  /** What went wrong, as text for the reader; null: nothing. */
  problem: Signal<string | null>;
};

/** `base`: with a slash at its end. */
export function readSite(base: string): Site {
  const site: Site = { facts: signal(null), problem: signal(null) };
  createSource(base)
    .read('nodes', 'nodes')
    .then(
      (nodes) => {
        site.facts.value = { nodes, time: nodes.hasTime === true ? watchTime(base) : null };
      },
      (error: unknown) => {
        site.problem.value = error instanceof Error ? error.message : String(error);
      },
    );
  return site;
}
