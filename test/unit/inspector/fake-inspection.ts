/** What a node shows, without a node. */
import type { Inspection, JournalStep } from '../../../src/node/inspection.ts';
import { PARTNER, TOKEN } from '../http/fake-node.ts';

type Given = Partial<Omit<Inspection, 'journal'>> & { steps?: JournalStep[] };

export function fakeInspection({ steps = [], ...changes }: Given = {}): Inspection {
  const listeners = new Set<() => void>();
  const of = (actor: string) => steps.filter((step) => step.actor === actor);
  return {
    facts: { address: PARTNER, chainId: 31_337n, version: '0.0.0-test', revealTimeout: 10n },
    tokens: () => [TOKEN],
    nowBlock: () => 1n,
    journal: {
      bounds: () => ({ oldest: steps[0]?.seq ?? 1, newest: steps.at(-1)?.seq ?? 0 }),
      after: (seq, limit) => steps.filter((step) => step.seq > seq).slice(0, limit),
      ofActor: (actor, before, limit) =>
        of(actor)
          .filter(({ seq }) => seq < before)
          .slice(-limit),
      baseOf: (actor, before) =>
        of(actor).findLast(
          ({ seq, kind }) => seq < before && ['spawn', 'keyframe'].includes(kind),
        ) ?? null,
      stops: (from, to) =>
        steps.filter(({ seq, kind }) => kind === 'stop' && seq >= from && seq <= to).reverse(),
      between: (actor, from, before) => of(actor).filter(({ seq }) => seq > from && seq < before),
      onNew(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      file: null,
    },
    actors: { ids: () => [], stateOf: () => null },
    signedSteps: () => [],
    ...changes,
  };
}
