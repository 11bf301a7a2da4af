/** Opens a node's database, or a copy of it in memory when its disk is full or a part of it cannot be read. */

import type { Log } from '../../basics/environment.ts';
import type { SafeMode } from '../../node/runtime/parts.ts';
import { parseLocation } from '../../store/durability/location.ts';
import type { Rescue } from '../../store/durability/rescue.ts';
import {
  type OpenedStore,
  type OpenRefusal,
  openStore,
  type StoreOptions,
} from '../../store/open.ts';
import { rescuedText } from './lost-texts.ts';
import { newestRescued } from './rescued-files.ts';

const REASONS = {
  disk_full:
    'The disk of the database is full. Deadlines are kept, from a copy of the database in memory, and nothing ' +
    'else is done: free some space on the disk, then start the node again.',
  damaged:
    'A part of the database cannot be read. Deadlines are kept, from a copy in memory of what can be read, and ' +
    'nothing else is done: keep a copy of the file, then look at the disk.',
};

/** `safeMode`: why nothing may be promised on the opened copy; null when it is the database itself. */
export type OpenedDatabase = OpenedStore & { safeMode: SafeMode | null };

/**
 * What only the copy holds is lost, and read again from the chain at the next start. The copy never counts as the
 * newest database of its key. `isCopy`: the database itself is not tried at all.
 */
export function openDatabase(given: StoreOptions, log: Log): OpenedDatabase | OpenRefusal {
  const onRescue = (outcome: Rescue) =>
    log.error(outcome.ok ? { file: outcome.file } : {}, rescuedText(outcome, given.url));
  const options = { ...given, onRescue };
  const opened = openStore(options);
  if (opened.ok && options.isCopy === true)
    return { ...opened, safeMode: { reason: REASONS.damaged } };
  if (opened.ok) return { ...opened, safeMode: null };
  if (opened.problem === 'old_copy') return withRescued(opened, options);
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

/** The same, and where the newest database may lie. */
function withRescued(refused: OpenRefusal, { url, elsewhere = [] }: StoreOptions): OpenRefusal {
  const location = parseLocation(url);
  const own = location.kind === 'file' ? [location.path] : [];
  const file = newestRescued([...own, ...elsewhere]);
  if (file === null) return refused;
  const message = `${refused.message}. A node wrote ${file} when its database was lost: if it is this one's, put it in its place`;
  return { ...refused, message };
}
