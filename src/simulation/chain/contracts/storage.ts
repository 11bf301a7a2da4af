/**
 * The storage of the simulated chain. Every change can be undone: by a revert, after a read-only call, and by
 * reorganisations.
 */
import type { Meter } from './meter.ts';

/** Each entry is one storage slot. Values are never changed in place. */
export type Table<V> = {
  get(key: string): V;
  set(key: string, value: V): void;
};
/** A change that was made: calling it undoes the change, calling it again redoes it. */
export type Change = () => void;
export type Storage = {
  /** `empty`: the initial value of every entry, like zero on the chain. */
  table<V>(empty: V): Table<V>;
  /** As `table`, but reading and writing it costs no gas. */
  freeTable<V>(empty: V): Table<V>;
  /** The number of changes since the last `cut`, for `revertTo`. */
  mark(): number;
  revertTo(mark: number): void;
  /** The changes since the last call of `cut`, in their order. */
  cut(): Change[];
};

export function createStorage(meter: Meter): Storage {
  let changes: Change[] = [];
  let tables = 0;

  function create<V>(empty: V, isMetered: boolean): Table<V> {
    const entries = new Map<string, V>();
    const name = tables++;

    function put(key: string, value: V | undefined): void {
      if (value === undefined || value === empty) entries.delete(key);
      else entries.set(key, value);
    }
    return {
      get(key) {
        if (isMetered && meter.isOn()) meter.read(`${name}/${key}`);
        return entries.get(key) ?? empty;
      },
      set(key, value) {
        let other = entries.get(key);
        if (isMetered && meter.isOn())
          meter.write(`${name}/${key}`, { from: other ?? empty, to: value, empty });
        put(key, value);
        changes.push(() => {
          const now = entries.get(key);
          put(key, other);
          other = now;
        });
      },
    };
  }

  return {
    table: (empty) => create(empty, true),
    freeTable: (empty) => create(empty, false),
    mark: () => changes.length,
    revertTo(mark) {
      for (const undo of changes.splice(mark).reverse()) undo();
    },
    cut() {
      const done = changes;
      changes = [];
      return done;
    },
  };
}
