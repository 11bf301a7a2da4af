/** What may be caused so often, and once more after so many blocks; the same thing counts once. */
import { getOrMake } from '../../basics/get-or-make.ts';

type Known = { caused: Set<string>; sinceBlock: bigint };

export function createAllowances(blocksForOneMore: bigint) {
  const all = new Map<string, Known>();
  return {
    /** Counts one of those that `key` has caused. Answers how many they are now, if these are too many; else null. */
    exceeded(key: string, one: string, { most, head }: { most: number; head: bigint }) {
      const known = getOrMake(all, key, () => ({ caused: new Set<string>(), sinceBlock: head }));
      known.caused.add(one);
      const allowed = BigInt(most) + (head - known.sinceBlock) / blocksForOneMore + 1n;
      return BigInt(known.caused.size) > allowed ? known.caused.size : null;
    },
  };
}
