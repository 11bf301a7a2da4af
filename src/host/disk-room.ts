/** The room that a node keeps on the disk of its database: a floor, and under it the reserve for its end. */
import type { DiskSpace } from '../node/runtime/disk-watch.ts';
import type { Log } from '../protocol/environment.ts';
import { parseLocation } from '../store/location.ts';
import { createReserve, type Reserve } from '../store/reserve.ts';
import { freeBytes } from './free-bytes.ts';

/** A write-ahead log is 4 MB at most as a rule, and is folded into the file at the end. */
const RESERVE_PART = 4;

export type DiskRoom = { disk: DiskSpace; reserve: Reserve };

/** Null: nothing is kept, as told (0 bytes), or because the database is on no disk. */
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
        // Never out of what is below the floor: that is for the database.
        if (left !== null && left > leastBytes + bytes) reserve.fill();
        return left;
      },
    },
  };
}
