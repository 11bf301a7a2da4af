/** A node's database, or a copy of it in memory where its disk has no room for a single write. */
import type { Log, SafeMode } from '../node/parts.ts';
import { type Opened, type OpenRefusal, openStore, type StoreOptions } from '../store/open.ts';

const FULL =
  'The disk of the database is full. Deadlines are kept, from a copy of the database in memory, and nothing ' +
  'else is done: free some space on the disk, then start the node again.';

/** `safeMode`: why nothing may be promised on what was opened; null: it is the database itself. */
export type OpenedDatabase = Opened & { safeMode: SafeMode | null };

/**
 * What is lost with the copy is read again from the chain at the next start. It is never taken for the newest
 * database of its key.
 */
export function openDatabase(options: StoreOptions, log: Log): OpenedDatabase | OpenRefusal {
  const opened = openStore(options);
  if (opened.ok) return { ...opened, safeMode: null };
  if (opened.problem !== 'disk_full') return opened;
  const copy = openStore({ ...options, isCopy: true });
  if (!copy.ok) return opened;
  if (copy.store.cursor() === null) {
    // One that was just made: there is nothing in it to be guarded.
    copy.store.close();
    return opened;
  }
  log.error({}, FULL);
  return { ...copy, safeMode: { reason: FULL } };
}
