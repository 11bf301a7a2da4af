/**
 * Takes secrets, signatures and keys out of what is shown, by the meaning of each field. A value of 32 bytes or
 * more is hidden unless its field is known to be public; in a public field it is hidden when it is the secret of a
 * known secrethash.
 */

import { type Hex, isHexOf } from '../../basics/hex.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { Redacted } from '../wire.ts';
import { type FieldMeaning, HEX_FIELDS } from './redact-fields.ts';

/** No field of this program has such a name; the value of one that had would be hidden. */
const KEY_NAME =
  /^(private_?key|passw(or)?d|passphrase|mnemonic|seed|authorization|credentials|api_?tokens?|bearer)$/i;
const SECRET_NAME = /secrets?$/i;
const SIGNATURE_NAME = /signatures?$/i;
const HEX = /^0x[0-9a-f]*$/i;
/**
 * Includes the kind before it in the id of a payment's actor: there the number is the secrethash, which may be
 * shown.
 */
const LONG_HEX = /(\b(?:initiator|mediator|target):)?((?:0x)?[0-9a-f]{64,})/gi;
/** The error text of a library may contain the URL of an endpoint, with a key or a password in it. */
const URL_TEXT = /[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"'<>]+/gi;
const LONGEST_PUBLIC = 2 + 2 * 20;
const MOST_KNOWN = 20_000;

type Kind = Redacted['$redacted'];
export type Redactor = ReturnType<typeof createRedactor>;

const meanings = new Map<string, FieldMeaning>(Object.entries(HEX_FIELDS));

/** One redactor for everything that is shown together: it remembers the secrets and secrethashes that it has met. */
export function createRedactor() {
  const secrets = new Set<string>();
  const hashes = new Set<string>();
  let learned = 0;

  function learn(known: Set<string>, hex: string) {
    if (known.has(hex)) return;
    learned += 1;
    known.add(hex);
    // The oldest is forgotten first: payments that ended long ago are not shown any more.
    const [oldest] = known.size > MOST_KNOWN ? known : [];
    if (oldest !== undefined) known.delete(oldest);
  }

  /** Whether the bytes open a lock that was met. A known secrethash is never a secret, whatever somebody claims. */
  function isSecret(hex: Hex): boolean {
    if (hashes.has(hex)) return false;
    return secrets.has(hex) || hashes.has(secrethashOf(hex));
  }

  function hexFor(hex: string, meaning: FieldMeaning | undefined): string | Redacted {
    const bytes = hex.toLowerCase();
    if (isHexOf(bytes, 65)) return hidden('signature');
    const isWord = isHexOf(bytes, 32);
    if (meaning === undefined || meaning === 'address' || (isWord && isSecret(bytes)))
      return hidden('secret');
    if (meaning === 'hash' && isWord) learn(hashes, bytes);
    return hex;
  }

  function text(value: string): string {
    return value.replace(LONG_HEX, (all, actor: string | undefined, hex: string) => {
      const bytes = hex.toLowerCase();
      const isShown = isHexOf(bytes, 32) ? actor !== undefined && !isSecret(bytes) : isNumber(hex);
      return isShown
        ? all
        : `${actor ?? ''}[${Math.floor(hex.replace(/^0x/i, '').length / 2)} bytes]`;
    });
  }

  function leaf(value: string, name: string): string | Redacted {
    if (value.includes('://')) return text(value.replace(URL_TEXT, '[URL]'));
    if (value.length <= LONGEST_PUBLIC) return value;
    return HEX.test(value) ? hexFor(value, meanings.get(name)) : text(value);
  }

  /** A field's name should never be a secret; if it looks like one, it is hidden as well. */
  const leafName = (name: string) => (name.length <= LONGEST_PUBLIC ? name : text(name));

  /** An item of a list has the meaning of the list's field. */
  function walk(value: unknown, name: string): unknown {
    const kind = kindOfName(name);
    if (kind !== null && value !== null && value !== undefined) {
      if (kind === 'secret' && isHexOf(value, 32)) learn(secrets, value.toLowerCase());
      return hidden(kind);
    }
    if (typeof value === 'string') return leaf(value, name);
    if (Array.isArray(value)) return value.map((item) => walk(item, name));
    if (typeof value !== 'object' || value === null) return value;
    const shown: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) shown[leafName(key)] = walk(inner, key);
    return shown;
  }

  return {
    /** A copy without secrets; `name` is the name of the field that holds the value, '' for none. */
    redact(value: unknown, name = ''): unknown {
      const before = learned;
      const shown = walk(value, name);
      // A value may come before the secrethash that shows that it is a secret: then all of it is redacted again.
      return learned === before ? shown : walk(value, name);
    },
  };
}

const kinds = new Map<string, Kind | null>();

/** What a field of this name always is, whatever its value looks like; null when the value decides. */
function kindOfName(name: string): Kind | null {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const kind = judged(name);
  // There are few names, unless somebody invents them to fill the memory.
  if (kinds.size < MOST_KNOWN) kinds.set(name, kind);
  return kind;
}

function judged(name: string): Kind | null {
  const meaning = meanings.get(name);
  if (meaning === 'secret' || meaning === 'signature') return meaning;
  if (KEY_NAME.test(name)) return 'key';
  if (SECRET_NAME.test(name)) return 'secret';
  return SIGNATURE_NAME.test(name) ? 'signature' : null;
}

function hidden(kind: Kind): Redacted {
  return { $redacted: kind };
}

/** An amount has decimal digits only. */
function isNumber(hex: string): boolean {
  return /^\d+$/.test(hex);
}
