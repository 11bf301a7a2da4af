/**
 * What the program that runs a node does with its database before the node begins: as `claim` on a real machine.
 * Beside the database it is noted how far that had come; one that is behind is made harmless before it is used.
 */
import { freezeChannels } from '../../node/chain/freeze.ts';
import type { HighWater } from '../../store/high-water.ts';
import type { Store } from '../../store/open.ts';
import type { Stamp } from '../../store/stamp.ts';
import type { Disk } from '../disk/disk.ts';

type Options = { disk: Disk; stamp: Stamp; now(): number };
export type Claims = ReturnType<typeof createClaims>;

export function createClaims({ disk, stamp, now }: Options) {
  let current: Store | null = null;
  let mark: HighWater | null = null;

  return {
    /** The operator accepts an old copy, since there is no other one. */
    open(): Store {
      const doubt = disk.doubt(mark);
      const store = disk.open(stamp);
      mark = null;
      current = store;
      if (doubt === null) return store;
      freezeChannels(store, now());
      store.acceptCopy();
      return store;
    },
    /** How far the database has come: to be noted while its process lives or after that has stopped. */
    note() {
      mark = current?.highWater() ?? null;
    },
  };
}
