/**
 * What the program around a node does with its database before the node begins, like `claim` on a real machine. A
 * file beside the database notes how far it had come; a database that is behind is made harmless before it is used.
 */
import { freezeChannels } from '../../node/chain/freeze.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import type { HighWater } from '../../store/durability/high-water.ts';
import type { Store } from '../../store/store.ts';
import type { Disk } from '../disk/disk.ts';

type Options = { disk: Disk; stamp: Stamp; now(): number };
export type Claims = ReturnType<typeof createClaims>;

export function createClaims({ disk, stamp, now }: Options) {
  let current: Store | null = null;
  let mark: HighWater | null = null;
  let isAccepted = false;

  return {
    /** Opens the disk; null: it is an old copy, with which the node does not begin before its owner has accepted it. */
    open(): Store | null {
      const isDoubted = disk.doubt(mark) !== null;
      if (isDoubted && !isAccepted) return null;
      const store = disk.open(stamp);
      mark = null;
      isAccepted = false;
      current = store;
      if (!isDoubted) return store;
      freezeChannels(store, now());
      store.acceptCopy();
      return store;
    },
    /** Notes how far the database has come: to be called while its process lives or after it was stopped. */
    note() {
      mark = current?.highWater() ?? null;
    },
    /** The operator accepts the old copy that the disk is, if it is one: there is no other. */
    accept() {
      isAccepted = disk.doubt(mark) !== null;
    },
  };
}
