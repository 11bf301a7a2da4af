/** Values in groups by key, each group in order of insertion; a group without values is forgotten. */
export function createGroups<K, V>() {
  const groups = new Map<K, Set<V>>();
  return {
    add(key: K, value: V): void {
      const known = groups.get(key);
      if (known === undefined) groups.set(key, new Set([value]));
      else known.add(value);
    },
    remove(key: K, value: V): void {
      const known = groups.get(key);
      if (known?.delete(value) && known.size === 0) groups.delete(key);
    },
    of: (key: K): V[] => [...(groups.get(key) ?? [])],
  };
}
