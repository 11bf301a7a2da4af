/** Counts by key; a key whose count is 0 is removed. */
export function createTally<K>() {
  const counts = new Map<K, number>();
  return {
    add(key: K, more: number) {
      const count = (counts.get(key) ?? 0) + more;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
    get: (key: K): number => counts.get(key) ?? 0,
    entries: (): [K, number][] => [...counts],
  };
}
