/**
 * Settings kept in this browser's storage. When storage is forbidden each use throws, and a setting lasts for this
 * page only.
 */

export type BrowserStore = 'local' | 'session';

const storeOf = (store: BrowserStore) => (store === 'local' ? localStorage : sessionStorage);

export function kept(store: BrowserStore, key: string): string | null {
  try {
    return storeOf(store).getItem(`sluice-inspector-${key}`);
  } catch {
    return null;
  }
}

export function keep(store: BrowserStore, key: string, value: string): void {
  try {
    storeOf(store).setItem(`sluice-inspector-${key}`, value);
  } catch {
    // The setting is lost with the page; nothing else depends on it.
  }
}
