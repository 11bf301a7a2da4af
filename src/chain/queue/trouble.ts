/** What keeps the transaction queue from going on, and which lines of it are written: a job may fail in every second. */
import type { ChainErrorKind } from '../errors.ts';

/** `job`: the key of the job that failed; null: the endpoint kept all of them from going on. */
export type QueueTrouble = { job: string | null; kind: ChainErrorKind | 'lost'; detail: string };

/** The same of one subject is said again after so long, and something else of it at most once in a minute. */
const SAME_MS = 600_000;
const OTHER_MS = 60_000;
/** Lines in a minute at most, whatever fails. */
const MOST_LINES = 20;
/** Subjects that are remembered. */
const MOST_SUBJECTS = 1_000;

/** `milliseconds`: of any clock; one that is set back or forward costs a line more, or a minute without one. */
export function createLineLimit(milliseconds: () => number) {
  const said = new Map<string, { reason: string; at: number }>();
  let minute = { begun: 0, lines: 0 };
  let leftOut = 0;

  function isNews(subject: string, reason: string, now: number): boolean {
    const last = said.get(subject);
    if (last === undefined) return true;
    return Math.abs(now - last.at) >= (last.reason === reason ? SAME_MS : OTHER_MS);
  }

  return {
    /** Whether a line is to be written now, and how many were left out since the last one; null: none. */
    next(subject: string, reason: string): { leftOut: number } | null {
      const now = milliseconds();
      if (!isNews(subject, reason, now)) return null;
      if (Math.abs(now - minute.begun) >= OTHER_MS) minute = { begun: now, lines: 0 };
      if (minute.lines === MOST_LINES) {
        leftOut += 1;
        return null;
      }
      minute.lines += 1;
      said.delete(subject);
      said.set(subject, { reason, at: now });
      const [oldest] = said.keys();
      if (said.size > MOST_SUBJECTS && oldest !== undefined) said.delete(oldest);
      const line = { leftOut };
      leftOut = 0;
      return line;
    },
    forget: (subject: string): void => void said.delete(subject),
  };
}
