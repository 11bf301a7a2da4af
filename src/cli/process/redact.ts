/**
 * Hides secrets in log entries, by what they look like, wherever they are: bytes, texts of 32 bytes and more in
 * hexadecimal (keys, secrets, signatures, transactions), and everything in a URL except its scheme and host. A value
 * that cannot be shown safely is replaced by a description.
 */

const SECRET_NAME =
  /^(secrets?|private_?key|passw(or)?d|passphrase|mnemonic|seed|signatures?|authorization|credentials|api_?tokens?|bearer)$/i;
/** Names of fields whose 32 bytes are public. */
const PUBLIC_NAME = /(hash|root|block|topics?|transaction)$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
/** Long hexadecimal text, with the prefix that it has in the id of a payment's actor: there it is the secrethash. */
const LONG_HEX = /(\b(?:initiator|mediator|target):)?((?:0x)?[0-9a-f]{64,})/gi;
const USER_IN_URL = /:\/\/[^\s/?#]*@/g;
const IN_URL = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`,]+/gi;

const DEEPEST = 6;
const MOST_ENTRIES = 100;
const MOST_CAUSES = 4;
const FEWEST_BYTES = 16;

/** The entry's fields with secrets hidden; never throws. */
export function cleanFields(entry: object): Record<string, unknown> {
  return fieldsOf(entry, 0);
}

/** The sentence with secrets hidden. */
export function cleanText(text: string): string {
  return text
    .replace(USER_IN_URL, '://')
    .replace(IN_URL, originOf)
    .replace(LONG_HEX, (all, actor: string | undefined, hex: string) => {
      // Text of digits only is an amount, and stays.
      if ((actor !== undefined && HASH.test(hex)) || /^\d+$/.test(hex)) return all;
      return `${actor ?? ''}[${Math.floor(hex.replace(/^0x/i, '').length / 2)} bytes]`;
    });
}

/** The URL's scheme and host: its path or query may be an access key. */
function originOf(text: string): string {
  if (/^file:/i.test(text)) return text;
  if (!URL.canParse(text)) return '[URL]';
  const { protocol, host, pathname, search, hash } = new URL(text);
  const rest = pathname.replace(/^\/$/, '') + search + hash;
  return `${protocol}//${host}${rest === '' ? '' : '/…'}`;
}

function fieldsOf(entry: object, depth: number): Record<string, unknown> {
  const names = Object.keys(entry).slice(0, MOST_ENTRIES);
  return Object.fromEntries(names.map((name) => [name, fieldOf(entry, name, depth)]));
}

function fieldOf(entry: object, name: string, depth: number): unknown {
  if (SECRET_NAME.test(name)) return '[hidden]';
  try {
    const value: unknown = Reflect.get(entry, name);
    const isPublic = typeof value === 'string' && PUBLIC_NAME.test(name) && HASH.test(value);
    return isPublic ? value : cleanValue(value, depth + 1);
  } catch {
    return '[unreadable]';
  }
}

function cleanValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return cleanText(value);
    case 'bigint':
      return value.toString();
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
    case 'object':
      return value === null ? null : cleanObject(value, depth);
    default:
      return value;
  }
}

function cleanObject(value: object, depth: number): unknown {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return `[${value.byteLength} bytes]`;
  if (value instanceof Error) return cleanError(value);
  if (value instanceof URL) return cleanText(value.href);
  if (value instanceof Date) return String(value);
  if (depth > DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return cleanList(value, depth);
  if (value instanceof Map || value instanceof Set) return cleanList([...value], depth);
  // An object of a class may hold a key, so only the name of the class is shown.
  const { constructor: maker } = value;
  if (typeof maker === 'function' && maker !== Object) return `[${maker.name}]`;
  return fieldsOf(value, depth);
}

function cleanList(list: readonly unknown[], depth: number): unknown {
  if (list.length >= FEWEST_BYTES && list.every(isByte)) return `[${list.length} bytes]`;
  return list.slice(0, MOST_ENTRIES).map((item) => cleanValue(item, depth + 1));
}

function isByte(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** The error's message and those of its causes. */
function cleanError(error: Error): string {
  const messages: string[] = [];
  let cause: unknown = error;
  while (cause instanceof Error && messages.length < MOST_CAUSES) {
    messages.push(cause.message);
    cause = cause.cause;
  }
  return cleanText(messages.join(', because: '));
}
