/** A database file as it is, copied into memory: for a disk on which nothing can be written any more. */
import { sql as text } from 'drizzle-orm';
import { type Connection, connect } from './connection.ts';

type Entry = { type: string; name: string; sql: string };

/** Writes nothing to the disk, and needs no room on it. Throws when a page of it cannot be read. */
export function copyIntoMemory(path: string): Connection {
  const connection = connect(':memory:');
  const { client } = connection;
  try {
    client.prepare('ATTACH ? AS disk').run([path]);
    // Without it, reading needs a file beside the database that the disk has no room for.
    client.pragma('disk.locking_mode = EXCLUSIVE');
    const entries = connection.db.all<Entry>(
      text`SELECT type, name, sql FROM disk.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`,
    );
    for (const { name, sql } of entries.filter(isTable)) {
      client.exec(sql);
      client.exec(`INSERT INTO main."${name}" SELECT * FROM disk."${name}"`);
    }
    for (const { sql } of entries.filter((entry) => !isTable(entry))) client.exec(sql);
    client.exec('DETACH disk');
    return connection;
  } catch (error) {
    client.close();
    throw error;
  }
}

const isTable = ({ type }: Pick<Entry, 'type'>): boolean => type === 'table';
