/**
 * Values by key, made when they are first asked for; of too many the one that was asked for longest ago is forgotten. So
 * whoever invents keys takes a bounded part of the memory.
 */
export function createRecent<K, V>({ most, create }: { most: number; create(key: K): V }) {
  const values = new Map<K, V>();
  return {
    of(key: K): V {
      const value = values.get(key) ?? create(key);
      values.delete(key);
      values.set(key, value);
      const oldest = values.size > most ? values.keys().next() : null;
      if (oldest !== null && !oldest.done) values.delete(oldest.value);
      return value;
    },
  };
}
