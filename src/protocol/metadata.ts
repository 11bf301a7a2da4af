/** The routes and extras of a transfer: JSON that is hashed in canonical form and forwarded as it came. */
import { keccakHex } from './hash.ts';
import type { Address, Hash } from './hex.ts';

/** A surrogate without its partner: it has no UTF-8 form, so two programs would hash it differently. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether the text can be written as UTF-8 without loss. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/**
 * Canonical JSON: keys sorted, no blanks, values untouched. Null when two programs could disagree about
 * the text: numbers that are not safe integers, lone surrogates, and whatever JSON cannot hold.
 * Recursive: whoever passes a stranger's value has bounded its depth.
 */
export function tryCanonicalJson(value: unknown): string | null {
  if (typeof value === 'string') return isWellFormed(value) ? JSON.stringify(value) : null;
  if (typeof value === 'number') return isPlainInteger(value) ? String(value) : null;
  if (typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return joined('[', value.map(tryCanonicalJson), ']');
  if (typeof value !== 'object') return null;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return joined('{', members.map(member), '}');
}

function member([key, value]: [string, unknown]): string | null {
  const text = tryCanonicalJson(value);
  return text === null || !isWellFormed(key) ? null : `${JSON.stringify(key)}:${text}`;
}

function joined(open: string, parts: readonly (string | null)[], close: string): string | null {
  return parts.includes(null) ? null : `${open}${parts.join(',')}${close}`;
}

function isPlainInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

/** `tryCanonicalJson` for values of our own; throws on what cannot be written. */
export function canonicalJson(value: unknown): string {
  const text = tryCanonicalJson(value);
  if (text === null) throw new TypeError('canonical JSON: a value has no unambiguous text');
  return text;
}

/** Metadata with one route, the initiator first and the target last. */
export function routesMetadata(route: readonly Address[]): string {
  return canonicalJson({ routes: [{ route }] });
}

/** The commitment of a LockedTransfer to its metadata, which is canonical JSON text. */
export function metadataHash(metadata: string): Hash {
  return keccakHex(Buffer.from(metadata, 'utf8'));
}
