/** Opens a node's database, or a copy of it in memory when its disk is full or a part of it cannot be read. */

import type { Log } from '../../basics/environment.ts';
import type { SafeMode } from '../../node/runtime/parts.ts';
import { type Opened, type OpenRefusal, openStore, type StoreOptions } from '../../store/open.ts';

const REASONS = {
  disk_full:
    'The disk of the database is full. Deadlines are kept, from a copy of the database in memory, and nothing ' +
    'else is done: free some space on the disk, then start the node again.',
  damaged:
    'A part of the database cannot be read. Deadlines are kept, from a copy in memory of what can be read, and ' +
    'nothing else is done: keep a copy of the file, then look at the disk.',
};

/** `safeMode`: why nothing may be promised on the opened copy; null when it is the database itself. */
export type OpenedDatabase = Opened & { safeMode: SafeMode | null };

/**
 * What only the copy holds is lost, and read again from the chain at the next start. The copy never counts as the
 * newest database of its key. `isCopy`: the database itself is not tried at all.
 */
export function openDatabase(options: StoreOptions, log: Log): OpenedDatabase | OpenRefusal {
  const opened = openStore(options);
  if (opened.ok && options.isCopy === true)
    return { ...opened, safeMode: { reason: REASONS.damaged } };
  if (opened.ok) return { ...opened, safeMode: null };
  if (opened.problem !== 'disk_full' && opened.problem !== 'damaged') return opened;
  const copy = openStore({ ...options, isCopy: true });
  if (!copy.ok) return opened;
  if (copy.store.cursor() === null) {
    // A new database has nothing to guard.
    copy.store.close();
    return opened;
  }
  const reason = REASONS[opened.problem];
  log.error({}, reason);
  return { ...copy, safeMode: { reason } };
}
