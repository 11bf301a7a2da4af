/**
 * What happens in a running node that other parts of it follow: they know of each other only through this.
 *
 * Who follows is told at once, in the order in which the parts were built (`node.ts`), and fails with whoever tells. What
 * happens in a turn is told within the turn, before anything of it is on disk.
 */
import type { Spawn } from '../../../machines/effects.ts';
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { Address } from '../../basics/hex.ts';
import type { StoredState } from './actors/kinds.ts';
import type { Afterwards } from './commits/open-batch.ts';

/** What happens, and what is told of it. */
type Happening = {
  /** At the start: a stored actor, once for each; all channels come before the payments that claim something in them. */
  found: [id: string, state: StoredState];
  /** In a turn: an actor was spawned. */
  spawned: [spawn: Spawn];
  /** In a turn: an actor was spawned, or its state has changed. */
  changed: [id: string, state: StoredState];
  /** In a turn: an actor has reached its end. */
  ended: [id: string];
  /** The account can pay again for what these actors wait for. */
  affordable: [waiting: readonly string[]];
  /** A batch is on disk, and not in the replica: what cannot wait and harms nobody may be done. */
  onDisk: [afterwards: readonly Afterwards[]];
  /** A batch is where it has to be: all that it asks for is done now. `changed`: the actors whose state it wrote. */
  written: [afterwards: readonly Afterwards[], changed: ReadonlySet<string>];
  /** These logs, of confirmed blocks, are applied. */
  confirmed: [logs: readonly ChainLog[]];
  /** All confirmed blocks but a few are applied, for the first time or again. */
  caughtUp: [];
  /** Signed messages may be sent from now on, or again after a pause in which nothing was sent. */
  speaking: [];
  /** A partner is found to be away. */
  away: [partner: Address];
};
type Followers = { [K in keyof Happening]: ((...told: Happening[K]) => void)[] };

export type Happenings = ReturnType<typeof createHappenings>;

export function createHappenings() {
  const followers: Followers = {
    found: [],
    spawned: [],
    changed: [],
    ended: [],
    affordable: [],
    onDisk: [],
    written: [],
    confirmed: [],
    caughtUp: [],
    speaking: [],
    away: [],
  };
  return {
    on<K extends keyof Happening>(what: K, follow: (...told: Happening[K]) => void): void {
      followers[what].push(follow);
    },
    tell<K extends keyof Happening>(what: K, ...told: Happening[K]): void {
      for (const follow of followers[what]) follow(...told);
    },
  };
}
