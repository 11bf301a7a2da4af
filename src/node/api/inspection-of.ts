/** What a running node shows to those who watch it. Everything here only reads. */
import { MAX_UINT64 } from '../../basics/amount.ts';
import type { Health } from '../health/health.ts';
import { troublesOf } from '../health/rows.ts';
import type { Node } from '../node.ts';
import { settledReads } from '../runtime/commits/feed.ts';
import type { Inspection } from './inspection.ts';

export function createInspection(node: Node, health: Pick<Health, 'rows'>): Inspection {
  const { own, settings, networks, store, actors, engine, journal, nowBlock, jobs } = node;
  const { ofActor, baseOf, between, stops } = store.journal;
  return {
    facts: {
      address: own,
      chainId: settings.chainId,
      version: settings.version,
      revealTimeout: settings.defaultRevealTimeout,
    },
    tokens: () => [...networks.values()],
    nowBlock,
    troubles: () => troublesOf(health.rows()),
    journal: {
      ...settledReads(store.journal, engine.settle),
      ofActor,
      baseOf,
      between,
      stops,
      onNew: journal.onNew,
      file: store.file,
    },
    // Flushed first, so that only what is on disk and in the journal is shown: nobody sees what a crash could still
    // undo.
    actors: {
      ids() {
        engine.flush();
        return actors.ids();
      },
      stateOf(id) {
        engine.flush();
        return actors.stateOf(id);
      },
    },
    whyWaits: (actor, type) =>
      jobs.waiting().find(({ tx }) => tx.from === actor && tx.type === type)?.why ?? null,
    signedSteps: (channel, side, before, limit) =>
      store.stepsBefore(channel, side, before ?? MAX_UINT64, limit),
  };
}
