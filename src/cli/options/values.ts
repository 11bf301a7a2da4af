/** Schemas for the texts of options. The messages are put after the option's name and never repeat a value. */

import * as v from 'valibot';
import { parseDecimal } from '../../basics/amount.ts';
import { type Address, parseAddress } from '../../basics/hex.ts';
import { isCallable } from '../../http/blocked-ports.ts';
import { parseHosts } from '../../http/checks/defence.ts';
import { parseOrigins } from '../../http/checks/origins.ts';
import { parseMethods } from '../../http/rpc-methods.ts';
import { isSocketPath, socketOf } from '../../http/socket-file.ts';
import { parseNatsUrl } from '../../partner/nats-url.ts';
import { readBy } from '../../protocol/shapes.ts';
import { isStreamName } from '../../replica/stream.ts';
import type { Schema } from './settings.ts';

/** A schema for text that `parse` understands; null from `parse` refuses it. */
function read<T>(parse: (text: string) => T | null, message: string): Schema<T> {
  return v.pipe(v.string(), readBy(parse, message));
}

/** A path or name; not empty. */
export const text: Schema<string> = v.pipe(v.string(), v.minLength(1, 'must not be empty'));

/** A comma list of such texts. */
export const texts: Schema<string[]> = v.pipe(
  text,
  v.transform((given) => given.split(',')),
);

/** A comma list of rules of the paywall: a comma before a path, or before a method and a path, begins the next one. */
export const rules: Schema<string[]> = v.pipe(
  text,
  v.transform((given) => given.split(/,(?=\s*(?:[A-Z]{1,20}\s+)?\/)/)),
);

/** An address in any case of letters, converted to its EIP-55 form. */
export const address: Schema<Address> = read(
  parseAddress,
  'must be an address (0x and 40 hex digits)',
);

/** A whole decimal number within the bounds, both included: of blocks, or an amount. */
export function bigNumber(lowest: bigint, highest: bigint): Schema<bigint> {
  const message = `must be a whole number from ${lowest} to ${highest}`;
  return read((given) => {
    const value = parseDecimal(given);
    return value !== null && value >= lowest && value <= highest ? value : null;
  }, message);
}

/** As `bigNumber`, as a number. */
export function wholeNumber(lowest: number, highest: number): Schema<number> {
  return v.pipe(bigNumber(BigInt(lowest), BigInt(highest)), v.transform(Number));
}

const UNCALLABLE =
  'names a port that fetch refuses (it belongs to another protocol), so that no page and no node could call it: take another';

/** A port to listen on for clients that use `fetch`. 0 lets the system choose. */
export const port: Schema<number> = v.pipe(wholeNumber(0, 65_535), v.check(isCallable, UNCALLABLE));

/** A port; `usual` when the flag has no value, null when it is turned off. 0 takes a free one. */
export function portOr(usual: number): Schema<number | null> {
  return v.pipe(
    read((given) => {
      if (given === 'true') return { port: usual };
      if (given === 'false') return { port: null };
      const port = parseDecimal(given, 5);
      return port !== null && port <= 65_535 ? { port: Number(port) } : null;
    }, 'must be true, false, or a port from 0 to 65535'),
    v.transform(({ port }) => port),
    v.check((port) => port === null || isCallable(port), UNCALLABLE),
  );
}

/** A number from 0 to `highest` for each token in a list: `0x…=50,0x…=60`. No token may be named twice. */
export function perToken(highest: bigint): Schema<ReadonlyMap<Address, bigint>> {
  const message = `must name each token once, with a whole number from 0 to ${highest}`;
  return read((given) => {
    const numbers = new Map<Address, bigint>();
    for (const pair of given.split(',')) {
      const [token, text, ...more] = pair.trim().split('=');
      const address = parseAddress(token);
      const value = parseDecimal(text);
      if (address === null || value === null || value > highest) return null;
      if (more.length > 0 || numbers.has(address)) return null;
      numbers.set(address, value);
    }
    return numbers;
  }, message);
}

/** Seconds, possibly with a fraction. */
export function seconds(least: number): Schema<number> {
  return read((given) => {
    const value = /^\d{1,4}(\.\d{1,3})?$/.test(given) ? Number(given) : 0;
    return value >= least && value <= 3_600 ? value : null;
  }, `must be a number of seconds from ${least} to 3600`);
}

export const streamName: Schema<string> = read(
  (given) => (isStreamName(given) ? given : null),
  'must be 1 to 64 letters, digits, - or _',
);

const HOUR_MS = 3_600_000;
const UNITS = new Map([
  ['h', HOUR_MS],
  ['d', 24 * HOUR_MS],
  ['y', 365 * 24 * HOUR_MS],
]);

/** Milliseconds, given in hours, days or years of 365 days. */
export const longDuration: Schema<number> = read((given) => {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([hdy])$/.exec(given) ?? [];
  const ms = Number(count) * (UNITS.get(unit) ?? 0);
  return ms > 0 ? ms : null;
}, 'must be a number of hours, days or years, such as 36h, 90d or 2y');

/** Milliseconds since 1970, given as a day or a moment in UTC. */
export const date: Schema<number> = read((given) => {
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z)?$/.test(given);
  const ms = isDate ? Date.parse(given) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}, 'must be a day in UTC such as 2026-01-31, or a moment such as 2026-01-31T12:00Z');

export const httpUrl: Schema<string> = read((given) => {
  if (!URL.canParse(given)) return null;
  const { protocol, port } = new URL(given);
  return /^https?:$/.test(protocol) && isCallable(Number(port)) ? given : null;
}, 'must be an http:// or https:// URL, at a port that HTTP may use (not 6000)');

/** URL of a web page that shows a transaction, with `{hash}` in place of its hash. */
export const explorerUrl: Schema<string> = read((given) => {
  const isWeb = /^https?:\/\//.test(given) && URL.canParse(given.replaceAll('{hash}', '0x00'));
  return isWeb && given.includes('{hash}') ? given : null;
}, 'must be a URL with {hash} in it, such as https://etherscan.io/tx/{hash}');

/** A URL that can be called as it is: an access key may be in its path, but no user and password before its host. */
export const plainUrl: Schema<string> = read(
  parsePlainUrl,
  'must be an http:// or https:// URL without user and password, at a port that HTTP may use (not 6000)',
);

/** A comma list of such URLs; a comma within a URL is written %2C. */
export const plainUrls: Schema<string[]> = read((given) => {
  const urls = given.split(',').map(parsePlainUrl);
  return urls.every((url) => url !== null) ? urls : null;
}, 'must be a comma list of http:// or https:// URLs without user and password, at ports that HTTP may use (not 6000)');

function parsePlainUrl(given: string): string | null {
  if (!URL.canParse(given)) return null;
  const { protocol, username, password, port } = new URL(given);
  const isPlain = username === '' && password === '' && isCallable(Number(port));
  return /^https?:$/.test(protocol) && isPlain ? given : null;
}

export const natsUrl: Schema<string> = read(
  (given) => (parseNatsUrl(given) === null ? null : given),
  'must be a NATS address such as nats://127.0.0.1:4222 or tls://user:password@host:4222',
);

/**
 * `host:port` to listen on for clients that use `fetch`; an IPv6 address is written in brackets. For `unix:PATH` the
 * whole text is the host, and the port is 0.
 */
export const hostAndPort: Schema<{ host: string; port: number }> = v.pipe(
  read(
    parseHostAndPort,
    'must be HOST:PORT such as 127.0.0.1:5001 or [::1]:5001, or unix:/PATH/OF/SOCKET (at most 103 bytes)',
  ),
  v.check(({ port }) => isCallable(port), UNCALLABLE),
);

function parseHostAndPort(given: string): { host: string; port: number } | null {
  const socket = socketOf(given);
  if (socket !== null) return isSocketPath(socket) ? { host: given, port: 0 } : null;
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s/]+):(\d{1,5})$/.exec(given);
  const [, host, port] = match ?? [];
  if (host === undefined || Number(port) > 65_535) return null;
  return { host, port: Number(port) };
}

/** Origins of web pages, as browsers send them. */
export const origins: Schema<string[]> = read(
  parseOrigins,
  'must be a comma list of origins such as https://app.example or http://localhost:*',
);

/** The same, or `*` for those of all pages. */
export const originsOrAll: Schema<string[]> = read(
  (text) => (text.trim() === '*' ? ['*'] : parseOrigins(text)),
  'must be a comma list of origins such as https://app.example, or *',
);

/** Host names without ports. */
export const hosts: Schema<string[]> = read(
  parseHosts,
  'must be a comma list of host names without ports, such as node.example',
);

/**
 * JSON-RPC methods beside those that only read; an empty list when the flag has no value, null when it is turned off.
 */
export const rpcMethods: Schema<string[] | null> = v.pipe(
  read(
    parseMethods,
    'must be true, false, or a comma list of methods such as eth_sendRawTransaction',
  ),
  v.transform(({ methods }) => methods),
);

/** One of these words. */
export function oneOf<const T extends string>(words: readonly T[]): Schema<T> {
  return v.pipe(v.string(), v.picklist(words, `must be one of: ${words.join(', ')}`));
}
