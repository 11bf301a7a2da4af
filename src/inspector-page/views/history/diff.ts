/** The difference between two contexts, value by value. */
import { isBranch } from './values.ts';

/** `path`: names and list indexes from the root (`['ownEnd', 'locks', '0', 'amount']`). */
export type DiffRow = { path: readonly string[] } & (
  | { kind: 'added'; after: unknown }
  | { kind: 'removed'; before: unknown }
  | { kind: 'changed'; before: unknown; after: unknown }
);

/**
 * Rows in the order of the context; none when both are the same. When items were added to or removed from a list,
 * only they have rows, as long as the items before and after them are unchanged; when a whole object was added or
 * removed, each value in it has a row.
 */
export function diffRows(
  before: unknown,
  after: unknown,
  path: readonly string[] = [],
): readonly DiffRow[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, path);
  if (isRecord(before) && isRecord(after)) return diffRecords(before, after, path);
  if (isSame(before, after)) return [];
  return [
    { path, kind: 'changed', before, after },
    ...(isBranch(before) ? inside('removed', before, path) : []),
    ...(isBranch(after) ? inside('added', after, path) : []),
  ];
}

/** A row for each value of something that was added or removed as a whole. */
function whole(kind: 'added' | 'removed', value: unknown, path: readonly string[]): DiffRow[] {
  if (isBranch(value) && Object.entries(value).length > 0) return inside(kind, value, path);
  return [kind === 'added' ? { path, kind, after: value } : { path, kind, before: value }];
}

function inside(kind: 'added' | 'removed', value: object, path: readonly string[]): DiffRow[] {
  return Object.entries(value).flatMap(([name, inner]) => whole(kind, inner, [...path, name]));
}

/** The paths (as `pathText`) of all values that were added, changed or removed, and of the objects around them. */
export function changedPaths(rows: readonly DiffRow[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { path } of rows) {
    for (let length = 1; length <= path.length; length += 1) {
      paths.add(valuePath(path.slice(0, length)));
    }
  }
  return paths;
}

/** `ownEnd.locks[0].amount`. */
export function valuePath(path: readonly string[]): string {
  return path.reduce((text, name) => {
    if (/^\d+$/.test(name)) return `${text}[${name}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function diffRecords(before: object, after: object, path: readonly string[]): DiffRow[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names.flatMap((name): readonly DiffRow[] => {
    const at = [...path, name];
    if (!old.has(name)) return whole('added', now.get(name), at);
    if (!now.has(name)) return whole('removed', old.get(name), at);
    return diffRows(old.get(name), now.get(name), at);
  });
}

function diffLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: readonly string[],
): DiffRow[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  const old = before.slice(head, before.length - tail);
  const now = after.slice(head, after.length - tail);
  return Array.from({ length: Math.max(old.length, now.length) }, (_, offset) => {
    const at = [...path, `${head + offset}`];
    if (offset >= old.length) return whole('added', now[offset], at);
    if (offset >= now.length) return whole('removed', old[offset], at);
    return diffRows(old[offset], now[offset], at);
  }).flat();
}

function isRecord(value: unknown): value is object {
  return isBranch(value) && !Array.isArray(value);
}

function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left === null || right === null || Array.isArray(left) !== Array.isArray(right)) return false;
  const fields = Object.entries(left);
  const others = new Map(Object.entries(right));
  return (
    fields.length === others.size &&
    fields.every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
  );
}
