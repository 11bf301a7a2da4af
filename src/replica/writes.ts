/** The content of a transaction's records: its statements, each text once, and their parameters in order. */
import { deserialize, serialize } from 'node:v8';
import * as v from 'valibot';
import type { Write } from '../store/durability/capture.ts';

const content = v.object({
  statements: v.array(v.string()),
  /** The place of the statement in the list, then its parameters. */
  rows: v.array(v.array(v.unknown())),
});

export function encodeWrites(writes: readonly Write[]): Uint8Array {
  const places = new Map<string, number>();
  const rows = writes.map(({ sql, params }) => {
    const place = places.get(sql) ?? places.size;
    places.set(sql, place);
    return [place, ...params];
  });
  return serialize({ statements: [...places.keys()], rows });
}

/** Only for what a holder of the keys has sealed: the text of the statements is run as it is. */
export function decodeWrites(bytes: Uint8Array): Write[] {
  const value: unknown = deserialize(bytes);
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
