/** A copy of a database file in memory: for a disk that is full, or from which not all of the file can be read. */
import { sql as text } from 'drizzle-orm';
import { type Connection, connect } from '../base/connection.ts';

type Entry = { type: string; name: string; sql: string };

/** The tables without which channels cannot be guarded. Any other table that cannot be read is left out. */
const NEEDED: readonly string[] = [
  'meta',
  'actors',
  'channels',
  'live_changes',
  'jobs',
  'transactions',
  '__drizzle_migrations',
];

/**
 * Copies the file without writing to the disk or needing room on it. `lost`: the tables that could not be read.
 * Throws when one of them is needed.
 */
export function copyIntoMemory(path: string): { connection: Connection; lost: string[] } {
  const connection = connect(':memory:');
  const { client } = connection;
  const lost: string[] = [];
  try {
    client.prepare('ATTACH ? AS disk').run([path]);
    // Otherwise SQLite needs another file beside the database to read it, and the disk has no room for that.
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

/** False: a row of the table cannot be read, and no row was copied. */
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
