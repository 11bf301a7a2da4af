/** The routes and extras of a transfer: JSON that is hashed in canonical form and forwarded as it came. */
import * as v from 'valibot';
import { type Address, type Hash, type Hex, isHexOf, parseAddress } from '../../basics/hex.ts';
import { keccakHex } from '../hash.ts';
import { isRecord } from './json-text.ts';

/** Nonce, secret, amount and the tag of the cipher. See `seal.ts` of the node. */
const SEALED_SECRET_BYTES = 92;

/** Text that JSON writes as it is. Names, addresses and secrets are all like that. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** A surrogate without its partner: it has no UTF-8 form, so two programs would hash it differently. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Canonical JSON: keys sorted, no blanks, values untouched. Null when two programs could disagree about the text: for
 * numbers that are not safe integers, lone surrogates, and whatever JSON cannot express. Recursive: the caller has
 * bounded the depth of a stranger's value.
 */
export function tryCanonicalJson(value: unknown): string | null {
  if (typeof value === 'string') return canonicalText(value);
  if (typeof value === 'number') return isPlainInteger(value) ? String(value) : null;
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object') return null;
  if (Array.isArray(value)) {
    const items = value.map(tryCanonicalJson);
    return items.includes(null) ? null : `[${items.join()}]`;
  }
  const members: string[] = [];
  for (const [key, inner] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = canonicalText(key);
    const text = tryCanonicalJson(inner);
    if (text === null || name === null) return null;
    members.push(`${name}:${text}`);
  }
  return `{${members.join()}}`;
}

function canonicalText(text: string): string | null {
  if (PLAIN.test(text)) return `"${text}"`;
  return LONE_SURROGATE.test(text) ? null : JSON.stringify(text);
}

function isPlainInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

/**
 * Metadata with one route, the initiator first and the target last. `secret`: the payment's secret, sealed for the
 * target, which then need not ask for it; null: the target has to ask.
 */
export function routesMetadata(route: readonly Address[], secret: Hex | null = null): string {
  const routes = [{ route }];
  // It is canonical as it is: the keys are in order, and hexadecimal text has one form.
  return JSON.stringify(secret === null ? { routes } : { routes, secret });
}

/** The sealed secret in a stranger's metadata, or null. Whether it opens is not known yet. */
export function sealedSecretIn(metadata: string): Hex | null {
  // Most metadata has none, and is not parsed for it.
  if (!metadata.includes('"secret"')) return null;
  const parsed = jsonIn(metadata);
  const secret = isRecord(parsed) ? parsed['secret'] : null;
  return isHexOf(secret, SEALED_SECRET_BYTES) ? secret : null;
}

/** The commitment of a transfer to its metadata, which is canonical JSON text. */
export function metadataHash(metadata: string): Hash {
  return keccakHex(Buffer.from(metadata, 'utf8'));
}

/**
 * More routes, or longer ones, are of no use to anybody: routes beyond the number are not looked at, and longer ones
 * are left out.
 */
const MAX_ROUTES = 16;
const MAX_ROUTE_HOPS = 64;

const hop = v.pipe(
  v.unknown(),
  v.transform(parseAddress),
  v.custom<Address>((value) => isHexOf(value, 20)),
);
const routing = v.object({ routes: v.array(v.unknown()) });
const candidate = v.object({ route: v.pipe(v.array(hop), v.maxLength(MAX_ROUTE_HOPS)) });

/**
 * The routes of a stranger's metadata, best first, addresses in EIP-55; empty when there are none. A route
 * that cannot be read is left out, the others count. Protocol section 2.4.
 */
export function routesIn(metadata: string): Address[][] {
  const parsed = v.safeParse(routing, jsonIn(metadata));
  if (!parsed.success) return [];
  return parsed.output.routes.slice(0, MAX_ROUTES).flatMap((one) => {
    const route = v.safeParse(candidate, one);
    return route.success ? [route.output.route] : [];
  });
}

/** Length and depth were bounded when the message was read; here only the form can be wrong. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The addresses that may get a transfer next, best first: on each route the one after `own`. On a route without
 * `own`, everything up to this node was cut off, and the first address is taken. Metadata without routes leaves only
 * the target. Never `own` or `payer`, and no address twice.
 */
export function nextHops(
  metadata: string,
  { own, payer, target }: { own: Address; payer: Address; target: Address },
): Address[] {
  const routes = routesIn(metadata);
  const next = routes.length === 0 ? [target] : routes.flatMap((route) => hopAfter(route, own));
  return [...new Set(next)].filter((address) => address !== own && address !== payer);
}

function hopAfter(route: readonly Address[], own: Address): Address[] {
  const next = route[route.indexOf(own) + 1];
  return next === undefined ? [] : [next];
}
