/**
 * Settings kept in this browser's storage. When storage is forbidden each use throws, and a setting lasts for this
 * page only.
 */

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
    // The setting is lost with the page; nothing else depends on it.
  }
}
