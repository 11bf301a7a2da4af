/** What a guard looks at: it is asked once more, with a context and an event that note what is read. */
import type { GuardRead } from './wire.ts';

/** What a guard reads beyond this is left out. */
export const MOST_READS = 40;

type Given = { context: object; event: object };
type Notes = {
  read: Map<string, unknown>;
  copied: Map<string, unknown>;
  objects: Map<string, object>;
};

/**
 * The values that `ask` reads of context and event, by path, each once: what was read by name first, then
 * what was only copied along with its object. An object that was looked at but not into stands with its own
 * plain fields. What `ask` answers or throws is of no account: it saw stand-ins instead of the objects.
 */
export function readsOf(given: Given, ask: (seen: Given) => unknown): GuardRead[] {
  const notes: Notes = { read: new Map(), copied: new Map(), objects: new Map() };
  const proxies = new Map<object, object>();
  const context = watched(given.context, 'context', notes, proxies);
  const event = watched(given.event, 'event', notes, proxies);
  try {
    ask({ context, event });
  } catch {
    // What it read until then is what it stumbled over.
  }
  noteUntouched(notes);
  const all = [...notes.read, ...[...notes.copied].filter(([path]) => !notes.read.has(path))];
  return all.slice(0, MOST_READS).map(([path, value]) => ({ path, value }));
}

/** One stand-in for each object, so that what is the same object stays the same. */
function watched(target: object, path: string, notes: Notes, proxies: Map<object, object>): object {
  const known = proxies.get(target);
  if (known !== undefined) return known;
  // A copy asks for the description of each field just before it reads it.
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
      // Every guard makes sure of it.
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
