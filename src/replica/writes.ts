/**
 * The content of a transaction's records: its statements, each text once, and their parameters in order, made small: a
 * quarter is left of it, and to seal, note, send and keep the rest would take longer than this does.
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

/** The quickest that still looks for what repeats: 500 MB a second. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export function encodeWrites(writes: readonly Write[]): Uint8Array {
  const places = new Map<string, number>();
  const rows = writes.map(({ sql, params }) => {
    const place = places.get(sql) ?? places.size;
    places.set(sql, place);
    return [place, ...params];
  });
  return brotliCompressSync(serialize({ statements: [...places.keys()], rows }), COMPRESSION);
}

/** Only for what a holder of the keys has sealed: the text of the statements is run as it is. */
export function decodeWrites(bytes: Uint8Array): Write[] {
  const value: unknown = deserialize(brotliDecompressSync(bytes));
  const { statements, rows } = v.parse(content, value);
  return rows.map(([place, ...params]) => {
    const sql = typeof place === 'number' ? statements[place] : undefined;
    if (sql === undefined) throw new Error('replica: a row without its statement');
    return { sql, params };
  });
}

/** The content in pieces of at most `limit` bytes; at least one. */
export function inPieces(bytes: Uint8Array, limit: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += limit)
    pieces.push(bytes.subarray(at, at + limit));
  return pieces;
}
