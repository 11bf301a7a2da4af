/** What a program keeps as long as all is well with it: a row for each thing. All who tell of it read the same rows. */
import type { Clock } from './environment.ts';

/** `body`: first what is the case, then, in another line, what follows from it and what can be done. */
export type Trouble = { summary: string; body: string };
export type Check = {
  /** What is so as long as the check is good: a sentence. */
  keeps: string;
  urgency: 'normal' | 'high';
  /** What is wrong; null: nothing; undefined: that is not known. Asks nobody. */
  look(): Trouble | null | undefined;
  /** Whether the program takes nothing on now as long as this is bad; absent: it does. */
  isNeeded?(): boolean;
};

/**
 * `isGood`: null when it is not known. `since`: milliseconds since 1970 since which it is so, or was found to be. `isNeeded`: the
 * program takes nothing on because of it.
 */
export type Row<Id extends string = string> = Pick<Check, 'keeps' | 'urgency'> & {
  id: Id;
  isGood: boolean | null;
  since: number;
  isNeeded: boolean;
  trouble: Trouble | null;
};
/** A row that is bad. */
export type BadRow<Id extends string = string> = Row<Id> & { trouble: Trouble };

/** The answer gives the rows of the table, or those of the checks that are asked, as they are then. */
export function createRows<Id extends string, C extends Check>(
  table: Readonly<Record<Id, C>>,
  clock: Pick<Clock, 'now'>,
  isAsked: (check: C) => boolean = () => true,
): () => Row<Id>[] {
  const known = new Map<Id, Pick<Row, 'isGood' | 'since'>>();
  const ids = Object.keys(table)
    .filter((id): id is Id => id in table)
    .filter((id) => isAsked(table[id]));

  function rowOf(id: Id): Row<Id> {
    const { keeps, urgency, look, isNeeded } = table[id];
    const found = look();
    const isGood = found === undefined ? null : found === null;
    const before = known.get(id);
    const since = before?.isGood === isGood ? before.since : clock.now();
    known.set(id, { isGood, since });
    const trouble = found ?? null;
    const isMissed = trouble !== null && isNeeded?.() === true;
    return { id, keeps, urgency, isGood, since, isNeeded: isMissed, trouble };
  }

  return () => ids.map(rowOf);
}

/** What is bad, the urgent first, otherwise in the order of the table. */
export function badRows<Id extends string>(rows: readonly Row<Id>[]): BadRow<Id>[] {
  const all = rows.flatMap(({ trouble, ...row }) =>
    trouble === null ? [] : [{ ...row, trouble }],
  );
  const isUrgent = ({ urgency }: Row) => urgency === 'high';
  return [...all.filter(isUrgent), ...all.filter((row) => !isUrgent(row))];
}

/** What is said of what was found: null when nothing was, undefined when that is not known. */
export function optional<T, R>(
  found: T | null | undefined,
  say: (found: T) => R,
): R | null | undefined {
  if (found === null) return null;
  return found === undefined ? undefined : say(found);
}
