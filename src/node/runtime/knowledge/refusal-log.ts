/** Writes one log line per reason and minute: a sender that floods a node must not fill its disk, too. */

const PAUSE_MS = 60_000;
/** Most reasons kept, although reasons are texts of this program: a mistake must not fill the memory. */
const MOST_REASONS = 200;

type Options = {
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
  /** `count`: how often since the last line for this reason. `change`: which of an Update was wrong, now; absent: none. */
  write(entry: { reason: string; count: number; change?: number }): void;
};
type RefusalLog = (reason: string, change?: number | null) => void;

export function createRefusalLog({ elapsed, write }: Options): RefusalLog {
  const reasons = new Map<string, { writtenAt: number; count: number }>();
  return (reason, change = null) => {
    const time = elapsed();
    const known = reasons.get(reason);
    if (known !== undefined && time - known.writtenAt < PAUSE_MS) {
      known.count += 1;
      return;
    }
    if (known === undefined && reasons.size >= MOST_REASONS) return;
    const count = (known?.count ?? 0) + 1;
    write({ reason, count, ...(change === null ? {} : { change }) });
    reasons.set(reason, { writtenAt: time, count: 0 });
  };
}
