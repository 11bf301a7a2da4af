/** A real store used by a simulated process, which can die or find its disk full. */
import type { Store } from '../../store/store.ts';

type Hooks = {
  /** Throws when the process is dead. */
  expectAlive(): void;
  /** Called before a write; throws when the disk is full. */
  refuse(): void;
  /** Called when a write is durable. */
  wrote(): void;
};

const WRITES = new Set<string | symbol>([
  'commit',
  'acceptFork',
  'acceptCopy',
  'endRereading',
  'noteSecretsRead',
  'sweep',
  'takeNotifications',
  'save',
  'replace',
  'drop',
  'set',
]);

/** The same store, with the hooks called at each use, also of functions that were taken from it earlier. */
export function watchStore(store: Store, hooks: Hooks): Store {
  return watched(store, hooks);
}

function watched<T extends object>(part: T, hooks: Hooks): T {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'function')
        return (...args: unknown[]): unknown => {
          hooks.expectAlive();
          if (!WRITES.has(name)) return Reflect.apply(value, undefined, args);
          hooks.refuse();
          const answer: unknown = Reflect.apply(value, undefined, args);
          hooks.wrote();
          return answer;
        };
      return typeof value === 'object' && value !== null ? watched(value, hooks) : value;
    },
  });
}
