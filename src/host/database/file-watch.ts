/**
 * Looks once a second whether the files of the node still lie where they were. A database that was deleted or replaced
 * is written anew at once: until then it is gone with the process.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Clock, Log } from '../../basics/environment.ts';
import type { FileWatch } from '../../node/runtime/knowledge/file-watch.ts';
import type { Loss } from '../../store/durability/place.ts';
import type { Store } from '../../store/store.ts';
import { lostText, rescuedText } from './lost-texts.ts';
import type { OtherFiles } from './other-files.ts';

const LOOK_MS = 1_000;
/** Between two lines of the log about the same trouble. */
const SAY_MS = 60_000;
const SAY_OTHERS_MS = 3_600_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Where the whole database is now. `isInPlace`: where the next start looks for it. */
type Rescued = { file: string; isInPlace: boolean };
type Options = {
  store: Pick<Store, 'file' | 'loss' | 'rescue'>;
  /** What is missing of the other files, for people. */
  others: OtherFiles;
  clock: Clock;
  log: Log;
  /** Called when the database was written anew: nothing can be committed any more, so the node has to end. */
  onRescued(rescued: Rescued, text: string): void;
};

export function createFileWatch({ store, others, clock, log, onRescued }: Options) {
  let onChange = () => {};
  let isOver = false;
  let movedTo: string | null = null;
  let lost: Loss | null = null;
  let text: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let triedAt = Number.NEGATIVE_INFINITY;
  let missing: string | null = null;
  const repeatLost = spaced({ clock, log }, SAY_MS);
  const sayOthers = spaced({ clock, log }, SAY_OTHERS_MS);

  function sayLost(what: string, fields: Record<string, unknown>): void {
    text = what;
    repeatLost(what, fields);
  }

  function attempt(loss: Loss): void {
    const outcome = store.rescue();
    if (!outcome.ok) {
      sayLost(lostText(loss, outcome.reason), { file: loss.file });
      return;
    }
    isOver = true;
    const { file, isInPlace } = outcome;
    movedTo = isInPlace ? null : pathToFileURL(file).href;
    text = rescuedText(outcome, store.file ?? '');
    log.error({ file }, text);
    onRescued({ file, isInPlace }, text);
  }

  function lookAtDatabase(): void {
    const loss = store.loss();
    const isNew = lost === null && loss !== null;
    const isBack = lost !== null && loss === null;
    lost = loss;
    if (isBack) {
      text = null;
      pauseMs = FIRST_PAUSE_MS;
      triedAt = Number.NEGATIVE_INFINITY;
      log.info({ file: store.file }, 'the file of the database is back in its place');
      onChange();
    }
    if (loss === null) return;
    if (isNew) {
      sayLost(lostText(loss, null), { file: loss.file });
      // What this writes has to be in the new file.
      onChange();
    }
    if (clock.elapsed() - triedAt >= pauseMs) {
      pauseMs = triedAt === Number.NEGATIVE_INFINITY ? pauseMs : nextPause(pauseMs);
      attempt(loss);
      // A large database takes a while.
      triedAt = clock.elapsed();
    }
    if (!isOver && text !== null) sayLost(text, { file: loss.file });
  }

  function lookAtOthers(): void {
    const before = missing;
    missing = others.missing();
    if (missing !== before) onChange();
    if (missing === null && before !== null)
      log.info({}, 'all files that the next start needs are there');
    if (missing !== null) sayOthers(missing, {});
  }

  function look(): void {
    if (isOver) return;
    lookAtOthers();
    lookAtDatabase();
  }

  const watch: Omit<FileWatch, 'certificates' | 'backup'> = {
    database: { trouble: () => text },
    others: { trouble: () => missing },
    isOver: () => isOver,
    listen(listener) {
      onChange = listener;
    },
  };
  return {
    ...watch,
    /** The URL of the database that was written anew in another place; null: there is none. */
    movedTo: (): string | null => movedTo,
    /** Resolves when the database lies on the disk, where it was or elsewhere. */
    async whenWhole(): Promise<void> {
      look();
      while (!isOver && lost !== null) await delay(LOOK_MS);
    },
    /** Looks from here on, until the returned function is called: that looks for the last time. */
    start(): () => void {
      const stop = clock.every(LOOK_MS, look);
      return () => {
        stop();
        triedAt = Number.NEGATIVE_INFINITY;
        look();
      };
    },
  };
}

const nextPause = (ms: number) => Math.min(2 * ms, LONGEST_PAUSE_MS);

/** Says what is new at once, and the same again after so much time. */
function spaced({ clock, log }: Pick<Options, 'clock' | 'log'>, ms: number) {
  let said: string | null = null;
  let saidAt = 0;
  return (text: string, fields: Record<string, unknown>): void => {
    if (text === said && clock.elapsed() - saidAt < ms) return;
    said = text;
    saidAt = clock.elapsed();
    log.error(fields, text);
  };
}
