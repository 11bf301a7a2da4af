/** A database as the first release wrote it. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { connect } from '../../src/store/connection.ts';

const DRIZZLE = fileURLToPath(new URL('../../drizzle', import.meta.url));
/** Drizzle's own table of the migrations that a file has seen. */
const RECORD = '__drizzle_migrations';

/** Puts the content of a closed database into one that has seen the first migration only. */
export function turnOld(path: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-old-'));
  try {
    const old = join(folder, 'old.db');
    const { client, db } = connect(old);
    migrate(db, { migrationsFolder: firstMigration(folder) });
    client.exec(`ATTACH '${path}' AS new`);
    const tables: unknown[] = client
      .prepare("SELECT name FROM main.sqlite_master WHERE type = 'table'")
      .all();
    for (const table of tables.map(nameIn).filter((name) => name !== RECORD)) {
      const columns = client.prepare(`PRAGMA main.table_info(${table})`).all().map(nameIn).join();
      client.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM new.${table}`);
    }
    client.exec("UPDATE main.meta SET value = '1' WHERE key = 'schema'");
    client.exec('DETACH new');
    client.close();
    // In another file: the driver lets go of what it had open when it likes.
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    copyFileSync(old, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function firstMigration(folder: string): string {
  const copy = join(folder, 'drizzle');
  mkdirSync(join(copy, 'meta'), { recursive: true });
  const journal: unknown = JSON.parse(readFileSync(join(DRIZZLE, 'meta/_journal.json'), 'utf8'));
  const entries = Object(journal).entries.slice(0, 1);
  writeFileSync(join(copy, 'meta/_journal.json'), JSON.stringify({ ...Object(journal), entries }));
  copyFileSync(join(DRIZZLE, '0000_tables.sql'), join(copy, '0000_tables.sql'));
  return copy;
}

function nameIn(row: unknown): string {
  if (typeof row === 'object' && row !== null && 'name' in row) return String(row.name);
  throw new Error('a table or column without a name');
}
