type Book<K, V> = { get(key: K): V | undefined; set(key: K, value: V): unknown };

/** The value of a key; when it has none yet, the one that is made for it now. */
export function getOrMake<K, V>(book: Book<K, V>, key: K, make: () => V): V {
  const known = book.get(key);
  if (known !== undefined) return known;
  const made = make();
  book.set(key, made);
  return made;
}
