/** The keepers by the secrethash of their locks: a secret concerns them all, in whichever channel. */
import type { Hash } from '../../protocol/hex.ts';
import { kindOf } from './kinds.ts';

export type Keepers = ReturnType<typeof createKeepers>;

export function createKeepers() {
  const bySecrethash = new Map<string, Set<string>>();
  const hashOf = (id: string) => id.split(':')[1] ?? '';

  return {
    /** Any other actor is none of them. */
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
