/**
 * The content of a transaction's records: its statements, each text once, and their parameters in order, made small: half
 * is left of it, and to seal, note, send and keep the rest would take longer than this does. Long rows are compressed
 * already, and bound as hexadecimal digits: they are kept apart, as bytes.
 *
 * Its size then says a little more of what is in it to whoever runs the broker; but a secret passes in a few records only,
 * so nobody can find it by what else he makes the node write beside it.
 */
import { deserialize, serialize } from 'node:v8';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as v from 'valibot';
import type { Write } from '../store/durability/capture.ts';

const content = v.object({
  statements: v.array(v.string()),
  /** The place of the statement in the list, then its parameters. */
  rows: v.array(v.array(v.unknown())),
});
/** Stands for the next so many bytes of those that are kept apart, as hexadecimal digits. */
const apart = v.strictObject({ digitsOf: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) });

/** The quickest that still looks for what repeats; a larger window takes longer to make than such a text to compress. */
const COMPRESSION = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 16 },
};
/** Shorter texts are not worth the look. */
const LONG = 512;
const LENGTH_BYTES = 4;

export function encodeWrites(writes: readonly Write[]): Uint8Array {
  const places = new Map<string, number>();
  const bytes: Uint8Array[] = [];
  const short = (param: unknown) => {
    const found = bytesIn(param);
    if (found === null) return param;
    bytes.push(found);
    return { digitsOf: found.length };
  };
  const rows = writes.map(({ sql, params }) => {
    const place = places.get(sql) ?? places.size;
    places.set(sql, place);
    return [place, ...params.map(short)];
  });
  const text = brotliCompressSync(serialize({ statements: [...places.keys()], rows }), COMPRESSION);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...bytes]);
}

/** What the text says in hexadecimal digits, if it is long and says nothing else. */
function bytesIn(param: unknown): Uint8Array | null {
  if (typeof param !== 'string' || param.length < LONG) return null;
  const bytes = Buffer.from(param, 'hex');
  return bytes.toString('hex') === param ? bytes : null;
}

/** Only for what a holder of the keys has sealed: the text of the statements is run as it is. */
export function decodeWrites(bytes: Uint8Array): Write[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = LENGTH_BYTES + all.readUInt32BE();
  const value: unknown = deserialize(brotliDecompressSync(all.subarray(LENGTH_BYTES, end)));
  const long = (param: unknown) => {
    if (!v.is(apart, param)) return param;
    const begin = end;
    end += param.digitsOf;
    if (end > all.length) throw new Error('replica: a transaction without its end');
    return all.toString('hex', begin, end);
  };
  const { statements, rows } = v.parse(content, value);
  return rows.map(([place, ...params]) => {
    const sql = typeof place === 'number' ? statements[place] : undefined;
    if (sql === undefined) throw new Error('replica: a row without its statement');
    return { sql, params: params.map(long) };
  });
}

/** The content in pieces of at most `limit` bytes; at least one. */
export function inPieces(bytes: Uint8Array, limit: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += limit)
    pieces.push(bytes.subarray(at, at + limit));
  return pieces;
}
