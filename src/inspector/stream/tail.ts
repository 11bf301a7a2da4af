/**
 * The end of the journal as it grows, made text once for all who follow it live. It goes on only while somebody
 * asks for more; the newest text is kept for those who read slower, within bounds. Whoever falls behind them gets a
 * gap instead of an hour of history at live speed.
 */
import type { Journal } from '../../node/api/inspection.ts';
import type { StepText } from './step-text.ts';
import { createSteps, type Replayer } from './steps.ts';

export type Tail = ReturnType<typeof createTail>;

/** Steps that a live reader may be behind the journal. */
export const MOST_BEHIND = 2_000;
/** Steps and characters that are kept for slower readers. */
const MOST_KEPT = 4_000;
const MOST_CHARACTERS = 8 * 1_048_576;

type Options = {
  journal: Journal;
  replayer: Replayer;
  isWanted: (actor: string) => boolean;
};

/** Begins after the newest step. */
export function createTail({ journal, replayer, isWanted }: Options) {
  const { newest: after } = journal.bounds();
  const run = createSteps({ journal, replayer, after, isWanted });
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
    /** Of the steps after it, all that were wanted are kept. */
    floor: () => floor,
    at: run.at,
    /** The steps after `seq` that are text already. */
    after: (seq: number): readonly StepText[] =>
      kept.slice(kept.findLastIndex((step) => step.seq <= seq) + 1),
    /** Tells more steps until `isOver`; false: there are none. */
    advance(isOver: () => boolean): boolean {
      const before = run.at();
      const { newest } = journal.bounds();
      keep(newest - before > MOST_BEHIND ? [run.skip(newest, 'slow')] : run.take(isOver));
      return run.at() !== before;
    },
  };
}
