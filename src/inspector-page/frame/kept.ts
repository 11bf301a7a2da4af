/** What this browser remembers. One that keeps nothing throws on each use; then it holds for this page only. */

export type Store = 'local' | 'session';

const storeOf = (store: Store) => (store === 'local' ? localStorage : sessionStorage);

export function kept(store: Store, key: string): string | null {
  try {
    return storeOf(store).getItem(`sluice-inspector-${key}`);
  } catch {
    return null;
  }
}

export function keep(store: Store, key: string, value: string): void {
  try {
    storeOf(store).setItem(`sluice-inspector-${key}`, value);
  } catch {
    // Nothing can be done, and nothing is lost but the convenience.
  }
}
