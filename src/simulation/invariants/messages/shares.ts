/**
 * What waits for the acknowledgement of a partner has bounds (docs/limits.md, "Locks of a channel"): where so much waits no
 * lock is given, and each partner of whom transfers are passed on gets as many bytes as it leaves free. What is there
 * because of whom is counted here from the messages themselves.
 */
import * as v from 'valibot';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { type Hash, isHexOf } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Ledger, 'isInitiator'> & Pick<Facts, 'boundsOf'>;
/** A message that waits. `given`: of its bytes, those that pass on what came over each channel. */
type Waiting = { queue: string; bytes: number; given: [from: string, bytes: number][] };
/** `came`: the channel over which each lock came. */
type Book = { waiting: Map<string, Waiting>; came: ReturnType<typeof createRecent<string>> };

/** The usual bounds. */
const ROWS = 480;
const BYTES = 1_048_576;
/** Locks of payers that are remembered. */
const KEPT = 20_000;

export function createShares({ isInitiator, boundsOf }: Needs): Oracle {
  const books = new Map<string, Book>();

  function note(who: string, book: Book, { key, queue, body }: Batch['outbox'][number]) {
    if (queue === null) return;
    const waiting: Waiting = { queue, bytes: 0, given: [] };
    const locks = locksIn(body);
    const rest =
      locks.length === 0 ? [] : [...book.waiting.values()].filter((one) => one.queue === queue);
    for (const { secrethash, bytes } of locks) {
      const from = isInitiator(who, secrethash) ? null : (book.came.get(secrethash) ?? null);
      check(who, [...rest, waiting], { from, queue });
      waiting.bytes += bytes;
      if (from !== null) waiting.given.push([from, bytes]);
    }
    book.waiting.set(key, { ...waiting, bytes: Buffer.byteLength(body) });
  }

  /** Before a lock is added. `from`: the channel over which its transfer came; null: it is of this node's own payment. */
  function check(
    who: string,
    all: readonly Waiting[],
    { from, queue }: { from: string | null; queue: string },
  ) {
    const { waitingRows = ROWS, waitingBytes = BYTES } = boundsOf(who);
    const bytes = sum(all.map((one) => one.bytes));
    const given = sum(
      all.flatMap((one) => one.given).map(([by, some]) => (by === from ? some : 0)),
    );
    if (all.length <= waitingRows && bytes + given < waitingBytes) return;
    const what = `${all.length - 1} messages of ${bytes} bytes wait, of which ${given} are for ${from}`;
    throw new Violation(32, who, `${who} gives a lock in ${queue}, where ${what}`);
  }

  return {
    commit(who, { proofs, outbox, outboxDone }) {
      const book = getOrMake(books, who, newBook);
      for (const { side, kind, secrethash, channel } of lockChanges(proofs))
        if (side === 'partner' && kind === 'add') book.came.set(secrethash, channel);
      for (const key of outboxDone) book.waiting.delete(key);
      for (const row of outbox) note(who, book, row);
    },
  };
}

const newBook = (): Book => ({ waiting: new Map(), came: createRecent(KEPT) });

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

const MESSAGE = v.object({ changes: v.optional(v.array(v.unknown()), []) });
const ADDED = v.object({
  type: v.literal('lock'),
  lock: v.object({ secrethash: v.custom<Hash>((value) => isHexOf(value, 32)) }),
});

/** The locks that a message adds, each with the bytes that it takes in it. */
function locksIn(body: string): { secrethash: Hash; bytes: number }[] {
  if (!body.includes('"type":"lock"')) return [];
  return v.parse(MESSAGE, JSON.parse(body)).changes.flatMap((change) => {
    const added = v.safeParse(ADDED, change);
    if (!added.success) return [];
    // Numbers take fewer bytes in a message than on a disk.
    const text = JSON.stringify(change).replaceAll(/\{"\$bigint":"(\d+)"\}/g, '$1');
    return [{ secrethash: added.output.lock.secrethash, bytes: Buffer.byteLength(text) }];
  });
}
