/** What an open database does when its files were deleted or replaced under it. */
import type Libsql from 'libsql';
import { type Connection, disconnect } from '../base/connection.ts';
import { type Loss, notePlace } from './place.ts';
import { type Rescue, rescue } from './rescue.ts';
import type { Reserve } from './reserve.ts';

export type RescueOptions = {
  /** The disk room that is given back when the disk is full; absent: none. */
  reserve?: Reserve;
  /** Names for a new file where the folder of the database can take none; absent: none. */
  elsewhere?: readonly string[];
  /** Called when a lost database was, or could not be, written anew while it was closed; absent: nobody hears. */
  onRescue?: (outcome: Rescue) => void;
};

/**
 * Connections to files that lie there no more. To close one deletes the log by its name, which is somebody else's by
 * then; and so would the collection of garbage.
 */
const abandoned = new Set<Libsql.Database>();

/** `file`: the database's file; null: it is in memory. */
export function createRescuer(connection: Connection, file: string | null, options: RescueOptions) {
  const { elsewhere = [], reserve = null, onRescue = () => {} } = options;
  const place = file === null ? null : notePlace(file);
  /** Set from the beginning of a rescue on, unless that fails: then nothing is committed any more. */
  let isFrozen = false;
  let isClosed = false;

  /** Null while the files lie where they were opened, and when the database has been written anew. */
  function loss(): Loss | null {
    return place === null || isFrozen || isClosed ? null : place.loss();
  }

  function attempt(): Rescue {
    if (place === null || isFrozen || isClosed) return { ok: false, reason: 'it is not lost' };
    isFrozen = true;
    const outcome = rescue({ connection, place, elsewhere, reserve, now: new Date() });
    isFrozen = outcome.ok;
    return outcome;
  }

  return {
    /** The first of the database's files that lies there no more; null: all do, or it was written anew. */
    loss,
    /** Whether the files lie where they were opened. */
    isThere: (): boolean => !isFrozen && loss() === null,
    /** Writes the whole database into a new file. Once that is done, this store commits nothing any more. */
    rescue: attempt,
    /** The same writer, which throws when nothing may be committed. */
    guarded:
      (write: (work: () => void) => void) =>
      (work: () => void): void => {
        if (isFrozen)
          throw new Error('store: the database was written anew, start again from there');
        write(work);
      },
    /** Closes the database; one that is lost is written anew before, or can still be when that fails. */
    disconnect(): void {
      const isLost = loss() !== null;
      if (isLost) onRescue(attempt());
      isClosed = !isLost;
      if (isLost || isFrozen) abandoned.add(connection.client);
      else disconnect(connection);
    },
  };
}
