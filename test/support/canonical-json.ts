/** Canonical JSON of a value that a test has made; throws when the value has none. */
import { tryCanonicalJson } from '../../src/protocol/wire/metadata.ts';

export function canonicalJson(value: unknown): string {
  const text = tryCanonicalJson(value);
  if (text === null) throw new TypeError('the value has no canonical JSON');
  return text;
}
