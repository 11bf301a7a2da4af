/** Reads the journal forward from a step, in slices, and makes each step text, with its place in its commit. */
import type { Journal, JournalStep } from '../../node/api/inspection.ts';
import type { StepRecords } from '../wire.ts';
import { type CommitPlace, type StepText, textOfGap, textOfStep } from './step-text.ts';

/** Derives what a step did. It is cheapest when the steps come in order. */
export type Replayer = { records(step: JournalStep): StepRecords };
export type JournalSteps = ReturnType<typeof createJournalSteps>;

const ROWS_AT_ONCE = 256;

type Options = {
  journal: Journal;
  replayer: Replayer;
  /** Reading begins after this step. */
  after: number;
  /** Whether anybody wants the steps of this actor; other steps are passed over. */
  isWanted: (actor: string) => boolean;
};
type Item = { step: JournalStep; place: CommitPlace };

export function createJournalSteps({ journal, replayer, after, isWanted }: Options) {
  let at = after;
  let queue: Item[] = [];
  let next = 0;
  /** Whether the step after `at` is the first of its commit. */
  let isBetweenCommits = false;

  /** A gap for steps that the journal dropped before they were read, or null. */
  function lost(): StepText | null {
    const { oldest } = journal.bounds();
    return at + 1 < oldest ? skip(oldest - 1, 'old') : null;
  }

  function skip(last: number, reason: 'old' | 'slow'): StepText {
    const first = at + 1;
    at = last;
    queue = [];
    next = 0;
    isBetweenCommits = false;
    return textOfGap({ first, last, reason }, journal.after(last, 1)[0] ?? null);
  }

  /** The next steps, whole commits only: a reader of half a commit would never hear of its end. */
  function nextCommits(): readonly JournalStep[] {
    for (let limit = ROWS_AT_ONCE; ; limit *= 2) {
      const rows = journal.after(at, limit);
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return rows;
      const end = rows.findLastIndex(({ commit }) => commit !== last.commit) + 1;
      if (end > 0) return rows.slice(0, end);
    }
  }

  function read(): void {
    const rows = nextCommits();
    const [row] = rows;
    if (row === undefined) return;
    queue = placed(rows, isBetweenCommits ? row.seq : firstOfCommit(journal, row));
    next = 0;
    isBetweenCommits = true;
  }

  /** A step that cannot be replayed becomes a gap, so that readers still get the steps after it. */
  function textOf({ step, place }: Item): StepText {
    try {
      return textOfStep(step, replayer.records(step), place);
    } catch {
      return textOfGap({ first: step.seq, last: step.seq, reason: 'other' }, step);
    }
  }

  return {
    /** The newest step that was taken or passed over. */
    at: () => at,
    skip,
    /** The next steps in order: at least one, then more until `isOver`. Empty: the journal has no newer step. */
    take(isOver: () => boolean): StepText[] {
      const taken: StepText[] = [];
      do {
        if (next === queue.length) {
          const gap = lost();
          if (gap !== null) taken.push(gap);
          read();
        }
        const item = queue[next];
        if (item === undefined) break;
        next += 1;
        at = item.step.seq;
        if (isWanted(item.step.actor)) taken.push(textOf(item));
      } while (!isOver());
      return taken;
    },
  };
}

/** The rows with their places. `first`: where the commit of the first row began. The last row has to end its commit. */
function placed(rows: readonly JournalStep[], first: number): Item[] {
  let begin = first;
  const items = rows.map((step, index): Item => {
    if (index > 0 && rows[index - 1]?.commit !== step.commit) begin = step.seq;
    return { step, place: { first: begin, isLast: false, isLastOfActor: false } };
  });
  const seen = new Set<string>();
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item === undefined) continue;
    item.place.isLast = items[index + 1]?.step.commit !== item.step.commit;
    if (item.place.isLast) seen.clear();
    item.place.isLastOfActor = !seen.has(item.step.actor);
    seen.add(item.step.actor);
  }
  return items;
}

/** Where the commit of this step began: a reader may go on in the middle of a commit. */
function firstOfCommit(journal: Journal, step: JournalStep): number {
  let first = step.seq;
  for (;;) {
    const from = first - ROWS_AT_ONCE - 1;
    const before = journal.after(from, ROWS_AT_ONCE).filter(({ seq }) => seq < first);
    const other = before.findLastIndex(({ commit }) => commit !== step.commit);
    const [same] = before.slice(other + 1);
    if (same === undefined) return first;
    first = same.seq;
    if (other >= 0) return first;
  }
}
