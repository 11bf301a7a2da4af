/** Keeps the note of how far the database of a key has come: see `src/store/durability/high-water.ts`. */
import type { Clock, Log } from '../../basics/environment.ts';
import { type HighWater, writeHighWater } from '../../store/durability/high-water.ts';
import type { Store } from '../../store/store.ts';

type Options = {
  store: Pick<Store, 'highWater' | 'whenAcknowledged'>;
  /** Where the note is written. */
  file: string;
  log: Log;
  clock: Clock;
};

/** Milliseconds between two notes. */
const NOTE_MS = 1_000;

/**
 * Writes the note at once, then whenever the database has new commits, and durably when the returned function is called.
 * When it cannot be written, the older note stays: it detects fewer old copies, and stops nobody.
 *
 * What a replica has not acknowledged is not noted: nothing has followed from it, and a database that is built from the
 * replica does not have it when another node went on before it arrived.
 */
export function keepNotes({ store, file, log, clock }: Options): () => void {
  let noted = -1;
  let hasFailed = false;
  let isWaiting = false;

  function attempt(work: () => void) {
    try {
      work();
    } catch (error) {
      if (!hasFailed) log.warn({ error: String(error) }, `${file} cannot be written`);
      hasFailed = true;
    }
  }
  function write(mark: HighWater, isDurable: boolean) {
    isWaiting = false;
    if (mark.seq < noted) return;
    writeHighWater(file, mark, isDurable);
    noted = mark.seq;
  }
  function note(isDurable: boolean) {
    const mark = store.highWater();
    if (!isDurable && (isWaiting || mark.seq === noted)) return;
    isWaiting = true;
    store.whenAcknowledged(() => attempt(() => write(mark, isDurable)));
  }

  attempt(() => note(true));
  const endTimer = clock.every(NOTE_MS, () => attempt(() => note(false)));
  return () => {
    endTimer();
    attempt(() => note(true));
  };
}
