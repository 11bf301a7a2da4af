/** Brings a database to the newest schema, with the SQL files of drizzle/, each service's in a folder there. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Connection } from './connection.ts';

/** Drizzle's own record of what ran. */
const RECORD = '__drizzle_migrations';

/** Whose tables are in the file: nobody's yet, ours, or another program's. */
export type TablesOwner = 'nobody' | 'us' | 'others';

export function ownerOf({ db }: Connection): TablesOwner {
  const tables = db
    .all<{ name: string }>(sql`SELECT name FROM sqlite_master WHERE type = 'table'`)
    .map(({ name }) => name);
  // A first open that was interrupted may have left nothing but Drizzle's record.
  if (tables.every((name) => name === RECORD)) return 'nobody';
  return tables.includes(RECORD) && tables.includes('meta') ? 'us' : 'others';
}

/** The name of a service; null: a node. */
export type Program = string | null;

/** The schema version of the program: how many migrations it ships. */
export function schemaVersion(program: Program = null): number {
  return readMigrationFiles({ migrationsFolder: migrationsFolder(program) }).length;
}

/** Whether the tables are those of a draft from before the first release, which no migration leads on from. */
export function isDraft({ db }: Connection, program: Program = null): boolean {
  const [first] = readMigrationFiles({ migrationsFolder: migrationsFolder(program) });
  const [ran] = db.all<{ hash: string }>(
    sql`SELECT hash FROM ${sql.identifier(RECORD)} ORDER BY created_at LIMIT 1`,
  );
  return ran !== undefined && ran.hash !== first?.hash;
}

/** Runs the migrations that the database has not seen, in one transaction. */
export function runMigrations({ db }: Connection, program: Program = null): void {
  migrate(db, { migrationsFolder: migrationsFolder(program) });
}

/** The folder drizzle/ is at the package's top: three levels above src/store/base, four above dist/src/store/base; of the bundle, three above dist/src/cli. */
function migrationsFolder(program: Program): string {
  const name = program === null ? 'drizzle' : `drizzle/${program}`;
  const candidates = [`../../../${name}`, `../../../../${name}`];
  const folders = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = folders.find((folder) => existsSync(`${folder}/meta/_journal.json`));
  if (found === undefined) throw new Error(`store: the folder ${name} is missing in this package`);
  return found;
}
