/**
 * What changed between two contexts, as a patch of RFC 6902 with JSON pointers (RFC 6901) that only adds, replaces
 * and removes. For plain data: an undefined property counts as absent.
 */
import type { Patch, PatchOperation } from '../wire.ts';

type Plain = Record<string, unknown>;

/** The operations that turn `before` into `after`, in order. Objects that both share are not compared. */
export function difference(before: unknown, after: unknown): Patch {
  const operations: PatchOperation[] = [];
  compare(before, after, '', operations);
  return operations;
}

/** Whether both hold the same data. */
export function isSame(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  if (Array.isArray(before) && Array.isArray(after))
    return before.length === after.length && before.every((item, n) => isSame(item, after[n]));
  if (!isPlain(before) || !isPlain(after)) return false;
  return keysOf(before, after).every((key) => isSame(fieldOf(before, key), fieldOf(after, key)));
}

/** The document after the patch; the given one stays as it is. Throws a TypeError where the patch does not fit. */
export function applyPatch(document: unknown, patch: Patch): unknown {
  return patch.reduce((current, operation) => {
    return apply(current, segmentsOf(operation.path), operation);
  }, document);
}

/** The names along the path of a JSON pointer. Throws a TypeError when the text is no JSON pointer. */
export function segmentsOf(pointer: string): string[] {
  const [first, ...segments] = pointer.split('/');
  if (first !== '') throw new TypeError(`patch: ${pointer} is no JSON pointer`);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function compare(before: unknown, after: unknown, path: string, operations: PatchOperation[]) {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, operations);
  else if (isPlain(before) && isPlain(after)) compareFields(before, after, path, operations);
  else operations.push({ op: 'replace', path, value: after });
}

function compareFields(before: Plain, after: Plain, path: string, operations: PatchOperation[]) {
  for (const key of keysOf(before, after)) {
    const [old, value] = [fieldOf(before, key), fieldOf(after, key)];
    if (old === value) continue;
    const inner = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (value === undefined) operations.push({ op: 'remove', path: inner });
    else if (old === undefined) operations.push({ op: 'add', path: inner, value });
    else compare(old, value, inner, operations);
  }
}

/**
 * Equal items at the beginning and the end are skipped: removing one lock from the middle of a list is one
 * operation.
 */
function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  operations: PatchOperation[],
) {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && isSame(before[first], after[first])) first++;
  let last = 0;
  while (last < shorter - first && isSame(before.at(-1 - last), after.at(-1 - last))) last++;
  const [oldEnd, newEnd] = [before.length - last, after.length - last];
  const common = Math.min(oldEnd, newEnd);
  for (let n = first; n < common; n++) compare(before[n], after[n], `${path}/${n}`, operations);
  for (let n = oldEnd - 1; n >= common; n--)
    operations.push({ op: 'remove', path: `${path}/${n}` });
  for (let n = common; n < newEnd; n++)
    operations.push({ op: 'add', path: `${path}/${n}`, value: after[n] });
}

function apply(document: unknown, segments: readonly string[], operation: PatchOperation): unknown {
  const [segment, ...rest] = segments;
  if (segment === undefined) return operation.op === 'remove' ? undefined : operation.value;
  if (Array.isArray(document)) return applyToList(document, segment, rest, operation);
  if (!isPlain(document)) throw new TypeError(`patch: nothing is at ${operation.path}`);
  const isThere = fieldOf(document, segment) !== undefined;
  if (!isThere && (rest.length > 0 || operation.op !== 'add'))
    throw new TypeError(`patch: nothing is at ${operation.path}`);
  if (rest.length > 0 || operation.op !== 'remove')
    return { ...document, [segment]: apply(fieldOf(document, segment), rest, operation) };
  return Object.fromEntries(Object.entries(document).filter(([key]) => key !== segment));
}

function applyToList(
  list: readonly unknown[],
  segment: string,
  rest: readonly string[],
  operation: PatchOperation,
): unknown[] {
  const index = segment === '-' ? list.length : Number(segment);
  const isAdded = rest.length === 0 && operation.op === 'add';
  if (!/^(-|0|[1-9]\d*)$/.test(segment) || index > list.length - (isAdded ? 0 : 1))
    throw new TypeError(`patch: nothing is at ${operation.path}`);
  const [head, tail] = [list.slice(0, index), list.slice(isAdded ? index : index + 1)];
  if (rest.length === 0 && operation.op === 'remove') return [...head, ...tail];
  return [...head, apply(list[index], rest, operation), ...tail];
}

function keysOf(before: Plain, after: Plain): string[] {
  const keys = Object.keys(before);
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) keys.push(key);
  return keys;
}

/** Own properties only: a key may have the name of one that every object inherits. */
function fieldOf(plain: Plain, key: string): unknown {
  return Object.hasOwn(plain, key) ? plain[key] : undefined;
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
