/** What a running node shows to those who watch it. Everything here only reads. */
import type { Inspection } from './inspection.ts';
import type { Node } from './node.ts';

export function createInspection(node: Node): Inspection {
  const { own, settings, networks, store, actors, journal, nowBlock } = node;
  const { bounds, after, ofActor, baseOf, between } = store.journal;
  return {
    facts: {
      address: own,
      chainId: settings.chainId,
      version: settings.version,
      revealTimeout: settings.defaultRevealTimeout,
    },
    tokens: () => [...networks.values()],
    nowBlock,
    journal: {
      ...{ bounds, after, ofActor, baseOf, between },
      onNew: journal.onNew,
      file: store.file,
    },
    actors: { ids: actors.ids, stateOf: actors.stateOf },
    signedSteps: store.stepsBefore,
  };
}
