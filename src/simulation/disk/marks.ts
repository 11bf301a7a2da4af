/**
 * A set of names that only have to be recognised, such as those of a million payments. It keeps 64 bits of each
 * name's hash: among a million names two are confused about once in twenty million runs.
 */
import type { Undo } from './undo.ts';

export type Marks = {
  has(name: string): boolean;
  add(name: string): void;
  copy(): MarksCopy;
  restore(copy: MarksCopy): void;
};
type MarksCopy = { cells: Uint32Array; size: number };

/** Names that fit at first; the room is always a power of two. */
const FIRST_ROOM = 8;
const CELLS = 2;

export function createMarks(undo: Undo): Marks {
  /** Two words for each name, at the first free place from where its hash points to; a free place has zeros. */
  let cells = new Uint32Array(CELLS * FIRST_ROOM);
  let size = 0;

  const following = (at: number) => (at + CELLS) % cells.length;
  const isFree = (at: number) => cells[at] === 0 && cells[at + 1] === 0;
  const homeOf = (low: number) => (CELLS * low) % cells.length;

  /** The place of the name, or the free place where it would be put. */
  function placeOf(high: number, low: number): number {
    let at = homeOf(low);
    while (!isFree(at) && (cells[at] !== high || cells[at + 1] !== low)) at = following(at);
    return at;
  }

  function put(high: number, low: number): void {
    const at = placeOf(high, low);
    cells[at] = high;
    cells[at + 1] = low;
  }

  function grow(): void {
    const before = cells;
    cells = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += CELLS) {
      const [high = 0, low = 0] = before.subarray(at, at + CELLS);
      if (high !== 0 || low !== 0) put(high, low);
    }
  }

  /** Removes a name. The names behind it move up, so that no search ends too early. */
  function remove(high: number, low: number): void {
    const at = placeOf(high, low);
    if (isFree(at)) return;
    cells.fill(0, at, at + CELLS);
    size -= 1;
    for (let next = following(at); !isFree(next); next = following(next)) {
      const [otherHigh = 0, otherLow = 0] = cells.subarray(next, next + CELLS);
      cells.fill(0, next, next + CELLS);
      put(otherHigh, otherLow);
    }
  }

  return {
    has(name) {
      const [high, low] = hashOf(name);
      return !isFree(placeOf(high, low));
    },
    add(name) {
      const [high, low] = hashOf(name);
      if (!isFree(placeOf(high, low))) return;
      undo.note(() => remove(high, low));
      size += 1;
      // At most three quarters of the places are used, or searches would take long.
      if (4 * CELLS * size > 3 * cells.length) grow();
      put(high, low);
    },
    copy: () => ({ cells: cells.slice(), size }),
    restore(copy) {
      cells = copy.cells.slice();
      size = copy.size;
    },
  };
}

/** Two words of a name's hash, of which the second is never zero. FNV-1a, with two bases and two primes. */
function hashOf(name: string): [high: number, low: number] {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
    low ^= low >>> 13;
  }
  return [high >>> 0, low >>> 0 || 1];
}
