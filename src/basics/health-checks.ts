/**
 * What a program needs to keep its promises: a row for each need. All who tell of it, to people, supervisors or
 * Prometheus, read the same rows.
 */
import type { Log } from './environment.ts';

export type HealthCheck = {
  /** A word for figures and logs, e.g. `gas`. */
  id: string;
  /** What depends on it, for people. */
  keeps: string;
  /** What is wrong and what to do, in sentences for people; null: nothing. Asked often, so it only remembers. */
  trouble(): string | null;
  /** Whether promises are broken without it; false: there is still time to mend it. */
  isNeeded: boolean;
};
/** `since`: milliseconds since 1970. */
export type HealthTrouble = Omit<HealthCheck, 'trouble'> & { trouble: string; since: number };
export type HealthWatch = ReturnType<typeof watchHealth>;

/** `now`: milliseconds since 1970. Nothing is noted before somebody looks. */
export function watchHealth(
  checks: readonly HealthCheck[],
  { now, log }: { now: () => number; log: Log },
) {
  const since = new Map<string, number>();

  function lookAt(check: HealthCheck): HealthTrouble[] {
    const { id, keeps, isNeeded } = check;
    const trouble = check.trouble();
    const begun = since.get(id);
    if (trouble === null) {
      if (since.delete(id)) log.info({ check: id, since: begun }, `well again: ${keeps}`);
      return [];
    }
    if (begun === undefined) {
      since.set(id, now());
      log[isNeeded ? 'error' : 'warn']({ check: id }, trouble);
    }
    return [{ id, keeps, isNeeded, trouble, since: begun ?? now() }];
  }

  return {
    ids: checks.map(({ id }) => id),
    /** What is wrong now. A line is written when a trouble begins and when it ends, so it has to be called regularly. */
    look: (): HealthTrouble[] => checks.flatMap(lookAt),
  };
}
