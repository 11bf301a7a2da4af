/**
 * Values by their key, of which only the newest are remembered. The older half is forgotten at once: removing the
 * oldest entry of a large map gets slower with each entry that was removed before.
 */
export function createRecent<V>(limit: number) {
  let newer = new Map<string, V>();
  let older = new Map<string, V>();

  return {
    get: (key: string): V | undefined => newer.get(key) ?? older.get(key),
    /** After this, at least half of `limit` keys are remembered, and at most `limit`. */
    set(key: string, value: V): void {
      if (newer.size >= limit / 2) {
        older = newer;
        newer = new Map();
      }
      newer.set(key, value);
    },
  };
}
