/**
 * Values by their key, of which the newest are remembered. The older half is forgotten at once: to take the
 * oldest entry out of a large map each time costs more with each one that was taken out before.
 */
export function createRecent<V>(limit: number) {
  let newer = new Map<string, V>();
  let older = new Map<string, V>();

  return {
    get: (key: string): V | undefined => newer.get(key) ?? older.get(key),
    /** At least half of `limit` keys are remembered after this one, and at most `limit`. */
    set(key: string, value: V): void {
      if (newer.size >= limit / 2) {
        older = newer;
        newer = new Map();
      }
      newer.set(key, value);
    },
  };
}
