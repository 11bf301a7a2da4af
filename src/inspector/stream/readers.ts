/**
 * The stream's readers and how far each has read. A reader asks for more text when it has passed on what it got, so
 * that one that stalls costs nothing. What is there when a reader comes is read for it alone; from there on all
 * share the tail.
 */
import type { Journal } from '../../node/api/inspection.ts';
import { type Filter, isWanted, type StepText, stepText, textOfGap } from './step-text.ts';
import { createSteps, type Replayer, type Steps } from './steps.ts';
import { createTail, type Tail } from './tail.ts';

/** `after`: the step after which it begins. Of what came since then, up to `patience` steps are caught up with. */
export type Watch = Filter & { after: number; patience: number };
/** `at`: the reader has everything up to this step that is of interest to it. */
type Piece = { id: number; text: string; at: number };

/** Characters after which a piece of text is sent. */
const PIECE = 65_536;
const PAST_AT_ONCE = 64;
/** Steps of no interest after which a reader hears how far it is, for when it comes back. */
const SILENCE = 500;

/** Actors in memory: of all who read live, and of each who reads what is past. */
const LIVE_ACTORS = 2_000;
const PAST_ACTORS = 100;

type Options = {
  journal: Journal;
  /** `limit`: actors that it keeps in memory. */
  createReplayer: (limit: number) => Replayer;
  send: (piece: Piece) => void;
};
type Reader = {
  watch: Watch;
  at: number;
  /** What was there when it came, up to `until`, is read for this reader alone. */
  until: number;
  past: Steps | null;
  isAsking: boolean;
  /** Made, but not sent. */
  text: string;
  sentAt: number;
};
type IsOver = () => boolean;

export function createReaders({ journal, createReplayer, send }: Options) {
  const readers = new Map<number, Reader>();
  let tail: Tail | null = null;

  function isWatched(actor: string): boolean {
    for (const { watch } of readers.values()) if (isWanted(watch, actor)) return true;
    return false;
  }

  const stepAt = (seq: number) => journal.after(seq - 1, 1)[0] ?? null;

  function begin(watch: Watch): Reader {
    const { newest } = journal.bounds();
    const { after: at, patience } = watch;
    const fresh = { watch, until: newest, past: null, isAsking: false, sentAt: at };
    if (at <= newest && newest - at <= patience) return { ...fresh, at, text: '' };
    // A number of another database: of this one, its reader has seen nothing.
    const isForeign = at > newest;
    const reason = isForeign ? 'old' : 'slow';
    const gap = textOfGap({ first: isForeign ? 1 : at + 1, last: newest, reason }, stepAt(newest));
    return { ...fresh, at: newest, text: stepText(gap, watch) };
  }

  /** Adds to the reader's text; whether there may be more at once. */
  function goOn(reader: Reader, live: Tail, isOver: IsOver): boolean {
    if (reader.at < reader.until) return readPast(reader, isOver);
    reader.past = null;
    const floor = live.floor();
    if (reader.at < floor) {
      add(reader, [
        textOfGap({ first: reader.at + 1, last: floor, reason: 'slow' }, stepAt(floor)),
      ]);
      return true;
    }
    const hasMore = reader.at < live.at() || live.advance(isOver);
    if (add(reader, live.after(reader.at))) reader.at = Math.max(reader.at, live.at());
    return hasMore;
  }

  function readPast(reader: Reader, isOver: IsOver): boolean {
    const { watch, at: after } = reader;
    reader.past ??= createSteps({
      journal,
      after,
      replayer: createReplayer(PAST_ACTORS),
      isWanted: (actor) => isWanted(watch, actor),
    });
    let count = 0;
    const steps = reader.past.take(() => ++count >= PAST_AT_ONCE || isOver());
    for (const step of steps) reader.text += stepText(step, watch);
    reader.at = reader.past.at();
    return true;
  }

  /** False: its text is long enough already. */
  function add(reader: Reader, steps: readonly StepText[]): boolean {
    for (const step of steps) {
      if (reader.text.length >= PIECE) return false;
      reader.text += stepText(step, reader.watch);
      reader.at = step.seq;
    }
    return true;
  }

  /** Whether there is more to do for this reader before it can be sent something. */
  function serve(id: number, reader: Reader, live: Tail, isOver: IsOver): boolean {
    let hasMore = true;
    while (hasMore && reader.text.length < PIECE && !isOver()) hasMore = goOn(reader, live, isOver);
    if (reader.text === '' && reader.at - reader.sentAt >= SILENCE)
      reader.text = placeText(reader.at);
    if (reader.text === '') return hasMore;
    const { text, at } = reader;
    Object.assign(reader, { text: '', isAsking: false, sentAt: at });
    send({ id, text, at });
    return false;
  }

  return {
    open(id: number, watch: Watch): void {
      tail ??= createTail({
        journal,
        replayer: createReplayer(LIVE_ACTORS),
        isWanted: isWatched,
      });
      readers.set(id, begin(watch));
    },
    close(id: number): void {
      readers.delete(id);
      if (readers.size === 0) tail = null;
    },
    ask(id: number): void {
      const reader = readers.get(id);
      if (reader !== undefined) reader.isAsking = true;
    },
    /** Works for those who asked, until `isOver`; whether there is more to do at once. */
    work(isOver: IsOver): boolean {
      let hasMore = false;
      for (const [id, reader] of [...readers]) {
        if (tail === null || !reader.isAsking) continue;
        if (serve(id, reader, tail, isOver)) hasMore = true;
        // Whoever used the time of this slice is last in the next.
        readers.delete(id);
        readers.set(id, reader);
        if (isOver()) return true;
      }
      return hasMore;
    },
  };
}

/**
 * An event with empty data, of which a browser only keeps the id: a reader that comes back names it, and does not
 * read what it has passed.
 */
function placeText(seq: number): string {
  return `id: ${seq}\ndata:\n\n`;
}
