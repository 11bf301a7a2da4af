/**
 * The newest steps of the journal, made text once for all live readers. It reads on only while a reader asks for more,
 * and keeps a bounded amount of text for slower readers. A reader that falls further behind gets a gap: it would need
 * too long to catch up.
 */
import type { Journal } from '../../node/api/inspection.ts';
import type { StepText } from './step-text.ts';
import { createJournalSteps, type Replayer } from './steps.ts';

export type Tail = ReturnType<typeof createTail>;

/** How many steps a live reader may be behind the journal. */
export const MOST_BEHIND = 2_000;
/** How many steps, and how many characters of them, are kept for slower readers. */
const MOST_KEPT = 4_000;
const MOST_CHARACTERS = 8 * 1_048_576;

type Options = {
  journal: Journal;
  replayer: Replayer;
  isWanted: (actor: string) => boolean;
};

/** A tail that begins after the newest step. */
export function createTail({ journal, replayer, isWanted }: Options) {
  const { newest: after } = journal.bounds();
  const run = createJournalSteps({ journal, replayer, after, isWanted });
  let kept: StepText[] = [];
  let characters = 0;
  let floor = after;

  function keep(steps: readonly StepText[]): void {
    kept.push(...steps);
    for (const { size } of steps) characters += size;
    let drop = 0;
    while (kept.length - drop > MOST_KEPT || characters > MOST_CHARACTERS) {
      const step = kept[drop];
      if (step === undefined) break;
      characters -= step.size;
      floor = step.seq;
      drop += 1;
    }
    if (drop > 0) kept = kept.slice(drop);
  }

  return {
    /** All wanted steps after this one are kept. */
    floor: () => floor,
    at: run.at,
    /** The kept steps after `seq`. */
    after: (seq: number): readonly StepText[] =>
      kept.slice(kept.findLastIndex((step) => step.seq <= seq) + 1),
    /** Reads more steps until `isOver`; false when there are none. */
    advance(isOver: () => boolean): boolean {
      const before = run.at();
      const { newest } = journal.bounds();
      keep(newest - before > MOST_BEHIND ? [run.skip(newest, 'slow')] : run.take(isOver));
      return run.at() !== before;
    },
  };
}
