/** Keeps the book of an echo node up to date with what the node has on disk. */
import type { NodeApi } from '../../node/api/api.ts';
import { type Book, createBook } from './book.ts';
import type { Draw, Echo } from './rules.ts';

export type HistoryApi = Pick<NodeApi, 'payments' | 'channels' | 'feed'>;

const PAGE = 5_000;

export function createReader(node: HistoryApi, draw: Draw) {
  let state: { book: Book; cursor: number } | null = null;

  /** The place of the newest event; null when events are gone that were not read. */
  function follow({ book }: { book: Book }, from: number): number | null {
    for (let cursor = from; ; ) {
      if (node.feed.bounds().oldest > cursor + 1) return null;
      const events = node.feed.after(cursor, PAGE);
      for (const event of events) if (event.type === 'payment') book.note(event.record);
      cursor = events.at(-1)?.seq ?? cursor;
      if (events.length < PAGE) return cursor;
    }
  }

  return {
    /** What is owed at this very moment; null when the history has to be read first. */
    owed(): Echo[] | null {
      // A query commits what just ended: the feed tells only what is on disk.
      node.channels({ token: null });
      const cursor = state === null ? null : follow(state, state.cursor);
      if (state === null || cursor === null) return null;
      state.cursor = cursor;
      return state.book.owed();
    },

    /** Begins anew with the whole history, and notes where in the feed it ended. */
    async read(): Promise<void> {
      const book = createBook(draw);
      const history = node.payments({ token: null, partner: null, offset: 0, limit: null });
      if (!history.ok) throw new Error(`the history cannot be read: ${history.code}`);
      // Of the same moment: what ends from now on is not in the history, but in the feed.
      const { newest: cursor } = node.feed.bounds();
      for (const records of history.value) {
        records.forEach(book.note);
        // The node has other things to do than to read a long history.
        await new Promise((resolve) => setImmediate(resolve));
      }
      state = { book, cursor };
    },
  };
}
