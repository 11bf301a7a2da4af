/**
 * Fields of later versions: in each message and each change there is a place for numbered ones, ascending. What has an
 * even number has to be understood, else the message is refused; what has an odd one may be passed over. This version
 * knows none of either.
 */
import { parseDecimal } from '../../basics/amount.ts';
import { fromHex, type Hex } from '../../basics/hex.ts';
import { keccakHex } from '../hash.ts';
import type { Field } from '../wire/packing.ts';
import { type Fields, noteWrong } from './fields.ts';

/** `number` has 16 bits. `content`: any number of bytes, in lower case. */
export type LaterField = { number: number; content: Hex };
type Later = { later?: readonly LaterField[] };

/** Most fields in one place, and bytes of their contents together: they are read, hashed and kept for nothing. */
export const MAX_LATER_FIELDS = 8;
export const MAX_LATER_BYTES = 1024;

const MAX_NUMBER = 0xffff;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
/** Stands before the hash of later fields where the changes of an Update are packed; no change has this number. */
const COMMAND = 255;

/** The numbered fields; absent: none. There is one way only to write each list. */
export const later: Fields<Later> = {
  readInto(from, note, into): into is Later {
    const value = from['later'];
    if (value === undefined) return true;
    const read = readLater(value);
    if (read === null) return noteWrong(note, 'later');
    if (read.some(({ number }) => number % 2 === 0)) {
      note.wrong = ' has an even number that is not known';
      return noteWrong(note, 'later');
    }
    into.later = read;
    return true;
  },
  write: (value) =>
    value.later === undefined
      ? ''
      : `"later":${JSON.stringify(value.later.map(({ number, content }) => [String(number), content]))}`,
};

function readLater(value: unknown): LaterField[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LATER_FIELDS) return null;
  const read: LaterField[] = [];
  let left = MAX_LATER_BYTES;
  for (const pair of value) {
    const field = readField(pair);
    if (field === null || field.number <= (read.at(-1)?.number ?? -1)) return null;
    left -= field.content.length / 2 - 1;
    if (left < 0) return null;
    read.push(field);
  }
  return read;
}

function readField(pair: unknown): LaterField | null {
  if (!Array.isArray(pair) || pair.length !== 2) return null;
  const [name, content]: unknown[] = pair;
  const number = parseDecimal(name, 5);
  if (number === null || number > MAX_NUMBER || !isContent(content)) return null;
  return { number: Number(number), content: `0x${content.slice(2).toLowerCase()}` };
}

function isContent(value: unknown): value is Hex {
  return typeof value === 'string' && BYTES.test(value);
}

/** What the signature covers of them: nothing when there are none. */
export function packedLater({ later }: Later): Field[] {
  if (later === undefined) return [];
  const bytes = later.flatMap(({ number, content }) => {
    const held = fromHex(content);
    const head = Buffer.alloc(4);
    head.writeUInt16BE(number);
    head.writeUInt16BE(held.length, 2);
    return [head, held];
  });
  return [
    ['u8', COMMAND],
    ['bytes32', keccakHex(Buffer.concat(bytes))],
  ];
}
