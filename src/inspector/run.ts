/** One way through the journal, forward: its steps are told in slices, each with its place in its commit. */
import type { Journal, JournalStep } from '../node/inspection.ts';
import { type CommitPlace, type ToldStep, toldGap, toldStep } from './told.ts';
import type { StepRecords } from './wire.ts';

/** Derives what a step did; cheapest when it gets them in order. */
export type Replayer = { records(step: JournalStep): StepRecords };
export type Run = ReturnType<typeof createRun>;

const ROWS_AT_ONCE = 256;

type Options = {
  journal: Journal;
  replayer: Replayer;
  /** The step after which it begins. */
  after: number;
  /** Steps of other actors are passed over. */
  isWanted: (actor: string) => boolean;
};
type Item = { step: JournalStep; place: CommitPlace };

export function createRun({ journal, replayer, after, isWanted }: Options) {
  let at = after;
  let queue: Item[] = [];
  let next = 0;
  /** Of the commit in which the last page ended. */
  let open: { commit: number; first: number } | null = null;

  /** Steps that the journal has dropped before they were read. */
  function lost(): ToldStep | null {
    const { oldest } = journal.bounds();
    return at + 1 < oldest ? skip(oldest - 1, 'old') : null;
  }

  function skip(last: number, reason: 'old' | 'slow'): ToldStep {
    const first = at + 1;
    at = last;
    queue = [];
    next = 0;
    open = null;
    return toldGap({ first, last, reason }, journal.after(last, 1)[0] ?? null);
  }

  function read(): void {
    const rows = journal.after(at, ROWS_AT_ONCE);
    const isWhole = rows.length < ROWS_AT_ONCE;
    const [row] = rows;
    if (row !== undefined && open === null)
      open = { commit: row.commit, first: firstOfCommit(journal, row) };
    queue = placed(rows, open, isWhole);
    next = 0;
    const last = queue.at(-1);
    open = last === undefined ? open : { commit: last.step.commit, first: last.place.first };
  }

  /** A step that cannot be replayed is told as such: it must not keep readers from those after it. */
  function tell({ step, place }: Item): ToldStep {
    try {
      return toldStep(step, replayer.records(step), place);
    } catch {
      return toldGap({ first: step.seq, last: step.seq, reason: 'other' }, step);
    }
  }

  return {
    /** Every step up to it was told, or passed over. */
    at: () => at,
    skip,
    /** What was known of actors counts no more. */
    renew(): void {},
    /** Steps in order, as many as are told until `isOver`, at least one; none: there is nothing new. */
    take(isOver: () => boolean): ToldStep[] {
      const told: ToldStep[] = [];
      do {
        if (next === queue.length) {
          const gap = lost();
          if (gap !== null) told.push(gap);
          read();
        }
        const item = queue[next];
        if (item === undefined) break;
        next += 1;
        at = item.step.seq;
        if (isWanted(item.step.actor)) told.push(tell(item));
      } while (!isOver());
      return told;
    },
  };
}

/** `isWhole`: the rows end where a commit ends, since a commit is read as a whole or not at all. */
function placed(
  rows: readonly JournalStep[],
  open: { commit: number; first: number } | null,
  isWhole: boolean,
): Item[] {
  let { commit, first } = open ?? { commit: -1, first: 0 };
  const items = rows.map((step): Item => {
    if (step.commit !== commit) ({ commit, seq: first } = step);
    return { step, place: { first, isLast: false, isLastOfActor: false } };
  });
  const seen = new Set<string>();
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item === undefined) break;
    const isUnknown = !isWhole && item.step.commit === items.at(-1)?.step.commit;
    if (isUnknown) continue;
    const following = items[index + 1];
    item.place.isLast = following === undefined || following.step.commit !== item.step.commit;
    if (item.place.isLast) seen.clear();
    item.place.isLastOfActor = !seen.has(item.step.actor);
    seen.add(item.step.actor);
  }
  return items;
}

/** A reader may come back to the middle of a commit. */
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
