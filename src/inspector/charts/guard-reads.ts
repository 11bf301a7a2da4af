/**
 * Finds the values that a guard reads, by calling it once more with proxies of context and event that note each
 * read.
 */
import type { GuardRead } from '../wire.ts';

/** The most values that are noted for one guard. */
export const MOST_READS = 40;

type Given = { context: object; event: object };
type Notes = {
  read: Map<string, unknown>;
  copied: Map<string, unknown>;
  objects: Map<string, object>;
};

/**
 * The values that `ask` reads of context and event, by path, each once: first those that were read by name, then
 * those that were only copied along with their object. An object that `ask` touched without reading a field of it
 * is listed with its own plain fields (a list with its length). What `ask` returns or throws is ignored: it saw
 * proxies, not the objects.
 */
export function readsOf(given: Given, ask: (seen: Given) => unknown): GuardRead[] {
  const notes: Notes = { read: new Map(), copied: new Map(), objects: new Map() };
  const proxies = new Map<object, object>();
  const context = watched(given.context, 'context', notes, proxies);
  const event = watched(given.event, 'event', notes, proxies);
  try {
    ask({ context, event });
  } catch {
    // The values that it read before it threw are still noted.
  }
  noteUntouched(notes);
  const all = [...notes.read, ...[...notes.copied].filter(([path]) => !notes.read.has(path))];
  return all.slice(0, MOST_READS).map(([path, value]) => ({ path, value }));
}

/** One proxy for each object, so that two references to the same object stay equal. */
function watched(target: object, path: string, notes: Notes, proxies: Map<object, object>): object {
  const known = proxies.get(target);
  if (known !== undefined) return known;
  // Copying an object (`{...object}`) asks for the descriptor of each field just before it reads the field.
  let copying: PropertyKey | null = null;
  const proxy = new Proxy(target, {
    getOwnPropertyDescriptor(_, key) {
      copying = key;
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    get(_, key) {
      const value: unknown = Reflect.get(target, key);
      const isCopied = copying === key;
      copying = null;
      if (typeof key === 'symbol' || typeof value === 'function') return value;
      const inner = `${path}.${key}`;
      if (typeof value === 'object' && value !== null) {
        if (!isCopied) notes.objects.set(inner, value);
        return watched(value, inner, notes, proxies);
      }
      // Every guard reads `event.type`, so that it says nothing.
      if (inner !== 'event.type') (isCopied ? notes.copied : notes.read).set(inner, value ?? null);
      return value;
    },
  });
  proxies.set(target, proxy);
  return proxy;
}

function noteUntouched({ read, copied, objects }: Notes) {
  const paths = [...read.keys(), ...copied.keys()];
  for (const [path, object] of objects) {
    if (paths.some((inner) => inner.startsWith(`${path}.`))) continue;
    if (Array.isArray(object)) read.set(`${path}.length`, object.length);
    else read.set(path, plainFields(object));
  }
}

function plainFields(object: object): Record<string, unknown> {
  const isLeaf = ([, value]: [string, unknown]) => typeof value !== 'object' || value === null;
  return Object.fromEntries(Object.entries(object).filter(isLeaf));
}
