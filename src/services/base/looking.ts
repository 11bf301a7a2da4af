/** What a service reads from the chain now and then, and what it remembers of that until the next look. */
import { describe } from '../../chain/describe.ts';

type Options<T> = {
  /** Rejects when the chain does not answer. */
  read(): Promise<T>;
  /** Called with what was read; not with what was outdated meanwhile. */
  onRead?(value: T): void;
  /** Milliseconds until the next look, by what is known. */
  pauseMs(known: T): number;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
};

/** Until the chain is asked again after it has not answered. */
const RETRY_MS = 5_000;
/** What was read longer ago than this is not relied on. */
const LONGEST_AGE_MS = 600_000;

export function createLooking<T>({ read, onRead = () => {}, pauseMs, elapsed }: Options<T>) {
  let known: { value: T; at: number } | null = null;
  /** When the next look is due. */
  let dueAt = Number.NEGATIVE_INFINITY;
  let failure: string | null = null;
  let running: Promise<void> | null = null;
  /** How often what was read, or is being read, became wrong. */
  let outdated = 0;
  let isStopped = false;

  async function lookOnce(): Promise<void> {
    const before = outdated;
    try {
      const value = await read();
      if (isStopped || before !== outdated) return;
      known = { value, at: elapsed() };
      dueAt = elapsed() + pauseMs(value);
      failure = null;
      onRead(value);
    } catch (error) {
      failure = describe(error);
      dueAt = elapsed() + RETRY_MS;
    }
  }

  async function lookUntilCurrent(): Promise<void> {
    while (!isStopped && elapsed() >= dueAt) await lookOnce();
  }

  return {
    /** Looks if it is time; to be called often. */
    look(): void {
      if (isStopped || running !== null || elapsed() < dueAt) return;
      running = lookUntilCurrent().then(() => {
        running = null;
      });
    },
    /** Something has changed what would be read: the next look is due, and one under way does not count. */
    outdate(): void {
      outdated += 1;
      dueAt = Number.NEGATIVE_INFINITY;
    },
    /** The last that was read, and how many milliseconds ago; null: nothing yet. */
    known: () => (known === null ? null : { value: known.value, ageMs: elapsed() - known.at }),
    /** Why nothing can be said that holds now; null: something can, or nobody has looked yet. */
    trouble: (): string | null =>
      failure !== null && (known === null || elapsed() - known.at > LONGEST_AGE_MS)
        ? failure
        : null,
    /** Ends after the look under way; its result does not count. */
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}
