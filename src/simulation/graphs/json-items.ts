/**
 * Reads the objects in lists of a large JSON object, such as `edges` of `{"nodes": […], "edges": […]}`, one after the
 * other: the file may be larger than what fits into a text, and only one object of it is in memory.
 */
import type { Pieces } from './graph.ts';

type Item = (list: string, item: unknown, number: number) => void;
type Options = {
  lists: readonly string[];
  /** Called with each object of these lists; numbers count from 1 in each list. */
  onItem: Item;
  /** Called with the name of each list or object of the file, before what is in it. */
  onPart(name: string): void;
  /** True ends the reading. */
  isOver(): boolean;
};

/** An object of a graph has some hundred bytes. */
const MOST_BYTES = 1_000_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BRACE = 0x7b;
const BRACKET = 0x5b;
/** The depth of a list in the object, and that of an object in such a list. */
const LIST = 2;
const ITEM = 3;

/** What is wrong with the file, or null. */
export async function readItems(pieces: Pieces, options: Options): Promise<string | null> {
  const reader = createReader(options);
  for await (const piece of pieces) {
    const problem = reader.take(piece);
    if (problem !== null) return problem;
    if (options.isOver()) return null;
  }
  return reader.end();
}

function createReader({ lists, onItem, onPart }: Options) {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let hasBegun = false;
  /** The bytes of what is being kept, a key or an object; null: nothing is. */
  let kept: number | null = null;
  let before: Uint8Array[] = [];
  let key = '';
  let list: string | null = null;
  const counts = new Map<string, number>();

  /** The bytes that are kept, up to the byte before `end`. */
  function taken(piece: Uint8Array, end: number): string {
    const text = Buffer.concat([...before, piece.subarray(kept ?? 0, end)]).toString('utf8');
    before = [];
    kept = null;
    return text;
  }

  function open(byte: number, at: number) {
    depth += 1;
    if (depth === LIST) {
      onPart(key);
      list = byte === BRACKET && lists.includes(key) ? key : null;
    }
    if (depth === ITEM && list !== null && byte === BRACE) kept = at;
  }

  function close(piece: Uint8Array, at: number): string | null {
    depth -= 1;
    if (depth !== LIST || list === null || kept === null) return null;
    const number = (counts.get(list) ?? 0) + 1;
    counts.set(list, number);
    const item = parsed(taken(piece, at + 1));
    if (item === null) return `object ${number} of ${list} is not JSON`;
    onItem(list, item.value, number);
    return null;
  }

  function inText(byte: number, piece: Uint8Array, at: number) {
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) {
      isText = false;
      if (depth === 1 && kept !== null) key = taken(piece, at);
    }
  }

  function outside(byte: number, piece: Uint8Array, at: number): string | null {
    if (byte === QUOTE) {
      isText = true;
      if (depth === 1) kept = at + 1;
    } else if (OPENING.has(byte)) open(byte, at);
    else if (CLOSING.has(byte)) return close(piece, at);
    return null;
  }

  return {
    take(piece: Uint8Array): string | null {
      for (let at = 0; at < piece.length; at++) {
        const byte = piece[at] ?? 0;
        if (isText) inText(byte, piece, at);
        else if (hasBegun) {
          const problem = outside(byte, piece, at);
          if (problem !== null) return problem;
        } else if (byte === BRACE) {
          hasBegun = true;
          open(byte, at);
        } else if (byte > 0x20) return 'is not a JSON object';
      }
      if (kept === null) return null;
      before.push(piece.slice(kept));
      kept = 0;
      const bytes = before.reduce((sum, { length }) => sum + length, 0);
      return bytes > MOST_BYTES ? `has a single object of more than ${MOST_BYTES} bytes` : null;
    },
    end: (): string | null =>
      hasBegun && depth === 0 ? null : 'ends in the middle: it was not written to its end',
  };
}

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
