/** What a node shows, without a node. */
import type { Inspection, JournalStep } from '../../../src/node/api/inspection.ts';
import { PARTNER, TOKEN } from '../http/fake-node.ts';

type Given = Partial<Omit<Inspection, 'journal'>> & {
  journal?: Inspection['journal'];
  /** What the journal holds, where it does not grow. */
  steps?: readonly JournalStep[];
};

export function fakeInspection({ steps = [], ...given }: Given = {}): Inspection {
  const { journal = fakeJournal({ steps }), ...changes } = given;
  return {
    facts: { address: PARTNER, chainId: 31_337n, version: '0.0.0-test', revealTimeout: 10n },
    tokens: () => [TOKEN],
    nowBlock: () => 1n,
    troubles: () => [],
    journal,
    actors: { ids: () => [], stateOf: () => null },
    whyWaits: () => null,
    signedSteps: () => [],
    ...changes,
  };
}

/** A journal that grows by hand; `kept`: only the newest steps are there. */
export function fakeJournal({
  kept = Number.POSITIVE_INFINITY,
  steps: first = [],
}: {
  kept?: number;
  steps?: readonly JournalStep[];
} = {}) {
  const listeners = new Set<() => void>();
  let steps = [...first];
  let newest = steps.at(-1)?.seq ?? 0;
  let commits = 0;
  const of = (actor: string) => steps.filter((step) => step.actor === actor);

  return {
    bounds: () => ({ oldest: steps[0]?.seq ?? newest + 1, newest }),
    after(seq: number, limit: number) {
      // They are numbered without holes.
      const start = Math.max(0, seq + 1 - (newest + 1 - steps.length));
      return steps.slice(start, start + limit);
    },
    ofActor: (actor: string, before: number, limit: number) =>
      of(actor)
        .filter(({ seq }) => seq < before)
        .slice(-limit),
    baseOf: (actor: string, before: number) =>
      of(actor).findLast(({ seq, kind }) => seq < before && ['spawn', 'keyframe'].includes(kind)) ??
      null,
    stops: (from: number, to: number) =>
      steps.filter(({ seq, kind }) => kind === 'stop' && seq >= from && seq <= to).reverse(),
    between: (actor: string, from: number, before: number) =>
      of(actor).filter(({ seq }) => seq > from && seq < before),
    onNew(listener: () => void) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    file: null,
    listeners: () => listeners.size,
    /** One commit with a step of each of these actors. */
    commit(...actors: string[]): void {
      commits += 1;
      for (const actor of actors) {
        newest += 1;
        steps.push(stepOf(actor, newest, commits));
      }
      if (steps.length > kept) steps = steps.slice(-kept);
      for (const listener of [...listeners]) listener();
    },
  };
}

function stepOf(actor: string, seq: number, commit: number): JournalStep {
  return {
    seq,
    commit,
    actor,
    kind: 'event',
    cause: 'outside',
    causeSeq: null,
    event: '{"type":"clock.tick"}',
    state: 'idle',
    version: 1,
    block: BigInt(seq),
    time: seq,
  };
}
