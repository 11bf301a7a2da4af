/**
 * The readers of the stream, and how far each has read. A reader asks for more text only when it has passed on the text
 * that it got, so that a reader that stalls costs nothing. Steps from before a reader came are read for it alone; newer
 * steps are made text once for all readers (`tail.ts`).
 */
import type { Journal } from '../../node/api/inspection.ts';
import { type StepFilter, type StepText, stepText, textOfGap, wantsActor } from './step-text.ts';
import { createJournalSteps, type JournalSteps, type Replayer } from './steps.ts';
import { createTail, type Tail } from './tail.ts';

/** The reader begins after step `after`. Of missed steps it gets `patience` or fewer; if there are more, a gap. */
export type Watch = StepFilter & { after: number; patience: number };
/** `at`: with this text, the reader has all steps up to this one that it wants. */
type Piece = { id: number; text: string; at: number };

/** Text of so many characters is sent, even when there is more. */
const PIECE = 65_536;
const PAST_AT_ONCE = 64;
/** After so many unwanted steps a reader is told where it is, so that it can go on from there after a break. */
const SILENCE = 500;

/** Actors kept in memory for replays: for all live readers together, and for each reader of past steps. */
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
  /** Steps up to `until` were in the journal when the reader came, and are read for it alone. */
  until: number;
  past: JournalSteps | null;
  isAsking: boolean;
  /** Text that was made for the reader and not sent yet. */
  text: string;
  sentAt: number;
};
type IsOver = () => boolean;

export function createReaders({ journal, createReplayer, send }: Options) {
  const readers = new Map<number, Reader>();
  let tail: Tail | null = null;

  function isWatched(actor: string): boolean {
    for (const { watch } of readers.values()) if (wantsActor(watch, actor)) return true;
    return false;
  }

  const stepAt = (seq: number) => journal.after(seq - 1, 1)[0] ?? null;

  function begin(watch: Watch): Reader {
    const { newest } = journal.bounds();
    const { after: at, patience } = watch;
    const fresh = { watch, until: newest, past: null, isAsking: false, sentAt: at };
    if (at <= newest && newest - at <= patience) return { ...fresh, at, text: '' };
    // The number is of another database: the reader has seen no step of this one.
    const isForeign = at > newest;
    const reason = isForeign ? 'old' : 'slow';
    const gap = textOfGap({ first: isForeign ? 1 : at + 1, last: newest, reason }, stepAt(newest));
    return { ...fresh, at: newest, text: stepText(gap, watch) };
  }

  /** Adds to the reader's text. Answers whether there may be more to add without waiting. */
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
    reader.past ??= createJournalSteps({
      journal,
      after,
      replayer: createReplayer(PAST_ACTORS),
      isWanted: (actor) => wantsActor(watch, actor),
    });
    let count = 0;
    const steps = reader.past.take(() => ++count >= PAST_AT_ONCE || isOver());
    for (const step of steps) reader.text += stepText(step, watch);
    reader.at = reader.past.at();
    return true;
  }

  /** Adds the steps; false when the text got long enough before the last of them. */
  function add(reader: Reader, steps: readonly StepText[]): boolean {
    for (const step of steps) {
      if (reader.text.length >= PIECE) return false;
      reader.text += stepText(step, reader.watch);
      reader.at = step.seq;
    }
    return true;
  }

  /** Sends the reader its next text. Answers whether more work is needed before there is any. */
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
    /** Makes text for the readers that asked, until `isOver`. Answers whether there is more to do at once. */
    work(isOver: IsOver): boolean {
      let hasMore = false;
      for (const [id, reader] of [...readers]) {
        if (tail === null || !reader.isAsking) continue;
        if (serve(id, reader, tail, isOver)) hasMore = true;
        // The readers take turns: the one that was served now is the last in the next slice.
        readers.delete(id);
        readers.set(id, reader);
        if (isOver()) return true;
      }
      return hasMore;
    },
  };
}

/**
 * An event without data, of which a browser keeps only the id. A reader that connects again names the id, and need not
 * read again what it has passed.
 */
function placeText(seq: number): string {
  return `id: ${seq}\ndata:\n\n`;
}
