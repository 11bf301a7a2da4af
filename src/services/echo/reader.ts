/** Keeps the book of an echo node up to date with what the node has on disk. */
import type { NodeApi } from '../../node/api/api.ts';
import { createEchoBook, type EchoBook } from './book.ts';
import type { Echo, LotteryDraw } from './rules.ts';

export type HistoryApi = Pick<NodeApi, 'payments' | 'feed'>;

const PAGE = 5_000;

export function createDebtReader(node: HistoryApi, draw: LotteryDraw) {
  let state: { book: EchoBook; cursor: number } | null = null;

  /** Notes the events after `from` and answers the number of the newest; null when unread events were dropped. */
  function follow({ book }: { book: EchoBook }, from: number): number | null {
    for (let cursor = from; ; ) {
      if (node.feed.bounds().oldest > cursor + 1) return null;
      const events = node.feed.after(cursor, PAGE);
      for (const event of events) if (event.type === 'payment') book.note(event.record);
      cursor = events.at(-1)?.seq ?? cursor;
      if (events.length < PAGE) return cursor;
    }
  }

  return {
    /** The echoes that are owed at this very moment; null when the history has to be read first. */
    owed(): Echo[] | null {
      // This query makes the node commit what has just ended: the feed shows only what is on disk.
      node.payments({ token: null, partner: null, offset: 0, limit: 0 });
      const cursor = state === null ? null : follow(state, state.cursor);
      if (state === null || cursor === null) return null;
      state.cursor = cursor;
      return state.book.owed();
    },

    /** Reads the whole history anew, and remembers the newest event of the feed at that moment. */
    async read(): Promise<void> {
      const book = createEchoBook(draw);
      const history = node.payments({ token: null, partner: null, offset: 0, limit: null });
      if (!history.ok) throw new Error(`the history cannot be read: ${history.code}`);
      // Taken at the same moment as the history: a payment that ends later is not in the history, but in the feed.
      const { newest: cursor } = node.feed.bounds();
      for (const records of history.value) {
        records.forEach(book.note);
        // Gives the node time for other work while a long history is read.
        await new Promise((resolve) => setImmediate(resolve));
      }
      state = { book, cursor };
    },
  };
}
