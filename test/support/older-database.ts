/** Databases as older versions of the program have left them. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import * as v from 'valibot';
import { connect } from '../../src/store/connection.ts';
import { temporaryFolder } from './store.ts';

const DRIZZLE = fileURLToPath(new URL('../../drizzle', import.meta.url));
const journal = v.looseObject({ entries: v.array(v.looseObject({ idx: v.number() })) });

/** The path of a database with the tables of the migrations up to number `last`, after these statements. */
export function olderDatabase(last: number, statements: readonly string[]): string {
  const folder = temporaryFolder();
  const migrations = join(folder, 'drizzle');
  cpSync(DRIZZLE, migrations, { recursive: true });
  const file = join(migrations, 'meta', '_journal.json');
  const all = v.parse(journal, JSON.parse(readFileSync(file, 'utf8')));
  const entries = all.entries.filter(({ idx }) => idx <= last);
  writeFileSync(file, JSON.stringify({ ...all, entries }));
  const path = join(folder, 'node.db');
  const { client, db } = connect(path);
  migrate(db, { migrationsFolder: migrations });
  client.exec('BEGIN');
  for (const statement of statements) db.run(sql.raw(statement));
  client.exec('COMMIT');
  client.close();
  return path;
}
