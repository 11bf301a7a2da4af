/** Reads data whose shape is not checked: contexts, events, effects. */

/** The value that the names lead to, one inside the other; undefined when one of them is missing. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

export function textAt(value: unknown, ...names: readonly string[]): string | null {
  const found = fieldOf(value, ...names);
  return typeof found === 'string' ? found : null;
}

export function bigintAt(value: unknown, ...names: readonly string[]): bigint | null {
  const found = fieldOf(value, ...names);
  return typeof found === 'bigint' ? found : null;
}

/** Whether the data contains one of `words` as a whole text or integer, at any depth. */
export function mentions(value: unknown, words: ReadonlySet<string | bigint>): boolean {
  if (typeof value === 'string' || typeof value === 'bigint') return words.has(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => mentions(part, words));
}

/** The changes of an Update; none of any other message. */
export function changesIn(message: unknown): unknown[] {
  const changes = fieldOf(message, 'changes');
  return Array.isArray(changes) ? changes : [];
}
