/** Of too many values, the one that was put in longest ago is forgotten: so whoever invents keys takes a bounded part of the memory. */
export function createNewest<K, V>(most: number) {
  const values = new Map<K, V>();
  return {
    find: (key: K): V | undefined => values.get(key),
    put(key: K, value: V): V {
      values.delete(key);
      values.set(key, value);
      const oldest = values.size > most ? values.keys().next() : null;
      if (oldest !== null && !oldest.done) values.delete(oldest.value);
      return value;
    },
    drop: (key: K): void => void values.delete(key),
  };
}

/** Values by key, made when they are first asked for; forgotten is the one that was asked for longest ago. */
export function createRecent<K, V>({ most, create }: { most: number; create(key: K): V }) {
  const { find, put } = createNewest<K, V>(most);
  return { find, of: (key: K): V => put(key, find(key) ?? create(key)) };
}
