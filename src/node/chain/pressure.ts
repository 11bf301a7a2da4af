/**
 * Whether deadlines need the node's time more than partner messages do: blocks are known that were not applied yet, or a
 * transaction with a near deadline was not sent yet. Then messages are read only just, and none is repeated.
 *
 * An endpoint that does not answer leaves both as they are for as long as it likes. So after a while messages have as long
 * a time of their own.
 */
const LONGEST_MS = 1_000;

type Options = {
  /** Whether confirmed blocks are known that were not applied yet. */
  hasUnapplied(): boolean;
  /** Whether a transaction that protects money is due and was not tried yet. */
  hasUnsent(): boolean;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
};

export function createPressure({ hasUnapplied, hasUnsent, elapsed }: Options) {
  let since: number | null = null;
  return {
    isPressed(): boolean {
      if (!hasUnapplied() && !hasUnsent()) {
        since = null;
        return false;
      }
      since ??= elapsed();
      return (elapsed() - since) % (2 * LONGEST_MS) < LONGEST_MS;
    },
  };
}
