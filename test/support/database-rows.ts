/** Everything that a node's database holds, to be compared with that of another machine. */
import type Libsql from 'libsql';
import * as v from 'valibot';
import { readingCopy } from './database-copy.ts';

const names = v.array(v.object({ name: v.string() }));
const rows = v.array(v.array(v.unknown()));
const place = v.object({ at: v.object({ sequence: v.number() }) });

/** Every row of every table, as text; without what a process notes about itself and its file. */
export function rowsOf(file: string): Record<string, string[]> {
  return readingCopy(file, (client) => {
    const query = "select name from sqlite_master where type = 'table' and name not like 'sqlite%'";
    const tables = v.parse(names, client.prepare(query).all()).map(({ name }) => name);
    const held = tables.filter((name) => name !== 'meta' && !name.startsWith('__'));
    return Object.fromEntries(held.map((name) => [name, rowsIn(client, name)]));
  });
}

function rowsIn(client: Libsql.Database, table: string): string[] {
  const statement = client.prepare(`select * from ${table}`).raw(true);
  const text = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
  return v
    .parse(rows, statement.all())
    .map((row) => row.map(text).join(' | '))
    .toSorted();
}

/** The record of the stream up to which the database has come. */
export function placeOf(file: string): number {
  const query = "select value as name from meta where key = 'replica'";
  const [found] = readingCopy(file, (client) => v.parse(names, client.prepare(query).all()));
  const noted = found?.name ?? '';
  return noted === '' ? 0 : v.parse(place, JSON.parse(noted)).at.sequence;
}
