/**
 * The space that a node keeps free on the disk of its database: a limit for new payments, and below it a reserve file
 * that is given up to finish what is pending.
 */

import type { Log } from '../../basics/environment.ts';
import type { DiskSpace } from '../../node/runtime/knowledge/disk-watch.ts';
import { parseLocation } from '../../store/durability/location.ts';
import { createReserve, type Reserve } from '../../store/durability/reserve.ts';
import { freeBytes } from './free-bytes.ts';

/**
 * The reserve's part of the limit. It has to hold a write-ahead log, which usually has at most 4 MB and is merged into
 * the database at the end.
 */
const RESERVE_PART = 4;

export type DiskRoom = { disk: DiskSpace; reserve: Reserve };

/** Null when nothing is kept: `leastBytes` is 0, or the database is not on a disk. */
export function keepRoom(database: string, leastBytes: number, log: Log): DiskRoom | null {
  const location = parseLocation(database);
  if (leastBytes === 0 || location.kind !== 'file') return null;
  const bytes = Math.floor(leastBytes / RESERVE_PART);
  const reserve = createReserve(location.path, bytes, () =>
    log.error(
      { bytes },
      'the disk is full: the room of the reserve file is used now to end what is pending. Free some space',
    ),
  );
  return {
    reserve,
    disk: {
      leastBytes,
      async free() {
        const left = await freeBytes(database);
        // The reserve is never filled with space below the limit: the database needs that.
        if (left !== null && left > leastBytes + bytes) reserve.fill();
        return left;
      },
    },
  };
}
