/** Everything that a node's database holds, to be compared with that of another machine. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import * as v from 'valibot';

const names = v.array(v.object({ name: v.string() }));
const rows = v.array(v.array(v.unknown()));
const place = v.object({ at: v.object({ sequence: v.number() }) });

/**
 * Reads a copy: SQLite in this process keeps what it shares with the file's other readers until memory is collected, and
 * then cannot open what the node's process has put into the file's place.
 */
function reading<T>(file: string, read: (client: Libsql.Database) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'rows-'));
  const copy = join(folder, 'node.db');
  for (const part of ['', '-wal'])
    if (existsSync(`${file}${part}`)) copyFileSync(`${file}${part}`, `${copy}${part}`);
  const client = new Libsql(copy);
  try {
    return read(client);
  } finally {
    client.close();
    rmSync(folder, { recursive: true });
  }
}

/** Every row of every table, as text; without what a process notes about itself and its file. */
export function rowsOf(file: string): Record<string, string[]> {
  return reading(file, (client) => {
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
  const [found] = reading(file, (client) => v.parse(names, client.prepare(query).all()));
  const noted = found?.name ?? '';
  return noted === '' ? 0 : v.parse(place, JSON.parse(noted)).at.sequence;
}
