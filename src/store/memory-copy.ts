/** A database file as it is, copied into memory: for a disk that takes nothing more, or gives not all back. */
import { sql as text } from 'drizzle-orm';
import { type Connection, connect } from './connection.ts';

type Entry = { type: string; name: string; sql: string };

/** What channels cannot be guarded without. Of any other table, what cannot be read is left out. */
const NEEDED: readonly string[] = [
  'meta',
  'actors',
  'channels',
  'proofs',
  'jobs',
  'transactions',
  '__drizzle_migrations',
];

/**
 * Writes nothing to the disk, and needs no room on it. `lost`: the tables that could not be read. Throws when
 * one of them is needed.
 */
export function copyIntoMemory(path: string): { connection: Connection; lost: string[] } {
  const connection = connect(':memory:');
  const { client } = connection;
  const lost: string[] = [];
  try {
    client.prepare('ATTACH ? AS disk').run([path]);
    // Without it, reading needs a file beside the database that the disk has no room for.
    client.pragma('disk.locking_mode = EXCLUSIVE');
    const entries = connection.db.all<Entry>(
      text`SELECT type, name, sql FROM disk.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`,
    );
    for (const table of entries.filter(isTable)) {
      client.exec(table.sql);
      if (!copyRows(connection, table)) lost.push(table.name);
    }
    for (const { sql } of entries.filter((entry) => !isTable(entry))) client.exec(sql);
    client.exec('DETACH disk');
    return { connection, lost };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** False: a row cannot be read, and none was copied. */
function copyRows({ client }: Connection, { name }: Entry): boolean {
  try {
    client.exec(`INSERT INTO main."${name}" SELECT * FROM disk."${name}"`);
    return true;
  } catch (error) {
    if (NEEDED.includes(name)) throw error;
    return false;
  }
}

const isTable = ({ type }: Pick<Entry, 'type'>): boolean => type === 'table';
