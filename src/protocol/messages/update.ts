/**
 * Changes of the sender's side of a channel, and the balance proof that holds after the last of them. All of them count,
 * or none: the signature covers the numbers after them, and under its additional hash each change.
 */
import type { Hash } from '../../basics/hex.ts';
import { MAX_LINE_BYTES, MAX_LINE_PARTS } from '../wire/lines.ts';
import { pack } from '../wire/packing.ts';
import { CHANGES, type Change, MAX_CHANGES, packedChange } from './changes.ts';
import { envelope } from './common.ts';
import { fields, join, listOf, type ValueOf } from './fields.ts';
import { literal } from './kinds.ts';
import { later, packedLater } from './later.ts';

/** The fields before the signature, and those behind it. */
export const updateStart = fields({ type: literal('Update'), ...envelope });
export const updateEnd = join(fields({ changes: listOf(CHANGES, MAX_CHANGES) }), later);
export const update = join(updateStart, updateEnd);
export type Update = ValueOf<typeof update>;

/** The bytes under `additionalHash`: the fields that the contract does not know. No padding follows a command byte. */
export function packAdditional(update: Update): Uint8Array {
  const { messageId, changes } = update;
  return pack([
    ['u8', changes.length],
    ['u64', messageId],
    ...packedLater(update),
    ...changes.flatMap(packedChange),
  ]);
}

/** Left for all but the changes: numbers of any size, the signature, and the names of the fields. */
const ENVELOPE_BYTES = 2_048;
const ENVELOPE_PARTS = 64;

type Made = { change: Change; lock: { secrethash: Hash } };
/** Changes for one Update, each with the bytes that it takes there. */
export type Part<T> = readonly { made: T; bytes: number }[];

/**
 * The changes in their order, in as few parts as possible: as many go into one Update as its receiver reads, and half as
 * many locks that it passes on. Metadata is passed on as a partner gave it, so both the bytes of an Update and the parts of
 * its JSON are counted, and no choice of partners makes a line too long. One change alone always fits: what came in one
 * line goes on in one. A secrethash comes once in a part: an Update with two changes of one lock would say nothing of how
 * it was in between.
 */
export function inParts<T extends Made>(changes: readonly T[]): Part<T>[] {
  const parts: Part<T>[] = [];
  let current: { made: T; bytes: number }[] = [];
  let hashes = new Set<Hash>();
  let left = fullRoom();
  for (const made of changes) {
    const text = CHANGES.write(made.change);
    const [bytes, size] = [Buffer.byteLength(text) + 1, partsOf(text)];
    const work = workOf(made.change);
    const { secrethash } = made.lock;
    const isFull =
      work > left.work || bytes > left.bytes || size > left.parts || hashes.has(secrethash);
    if (isFull && current.length > 0) {
      parts.push(current);
      current = [];
      hashes = new Set();
      left = fullRoom();
    }
    current.push({ made, bytes });
    hashes.add(secrethash);
    left = { bytes: left.bytes - bytes, parts: left.parts - size, work: left.work - work };
  }
  if (current.length > 0) parts.push(current);
  return parts;
}

const fullRoom = () => ({
  bytes: MAX_LINE_BYTES - ENVELOPE_BYTES,
  parts: MAX_LINE_PARTS - ENVELOPE_PARTS,
  work: MAX_CHANGES,
});

/** The receiver makes an Update in one turn, which holds its event loop: to pass a lock on is the work of two changes. */
const workOf = (change: Change): number =>
  change.type === 'lock' && change.target !== change.recipient ? 2 : 1;

/** No fewer than the parts that a reader counts: those inside of strings are counted, too. */
function partsOf(text: string): number {
  return text.match(/[[\]{}:,]/g)?.length ?? 0;
}
