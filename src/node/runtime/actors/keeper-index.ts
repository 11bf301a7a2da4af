/** The keepers by the secrethash of their locks: a secret concerns all of them, in whichever channel the lock is. */
import type { Hash } from '../../../basics/hex.ts';
import { kindOf } from './kinds.ts';

export type KeeperIndex = ReturnType<typeof createKeeperIndex>;

export function createKeeperIndex() {
  const bySecrethash = new Map<string, Set<string>>();
  const hashOf = (id: string) => id.split(':')[1] ?? '';

  return {
    /** Adds the actor if it is a keeper. */
    add(id: string) {
      if (kindOf(id) !== 'keeper') return;
      const known = bySecrethash.get(hashOf(id));
      if (known === undefined) bySecrethash.set(hashOf(id), new Set([id]));
      else known.add(id);
    },
    remove(id: string) {
      const known = bySecrethash.get(hashOf(id));
      if (known?.delete(id) && known.size === 0) bySecrethash.delete(hashOf(id));
    },
    of: (secrethash: Hash): string[] => [...(bySecrethash.get(secrethash) ?? [])],
  };
}
