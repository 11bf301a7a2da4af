/** Keeps what was paid for out of the caches that many share, a proxy's or a CDN's: they would give it away. */
import { PROOF } from '../x402/headers.ts';

/** Read by shared caches only, before `Cache-Control` or in its place: RFC 9213, and what was there before it. */
const TARGETED = /^(.+-cache-control|surrogate-.+|edge-control|x-accel-expires|expires)$/;

/** What the buyer's own cache is told stays; none of it lets a shared one keep anything. */
const OWN = ['no-cache', 'no-transform', 'must-revalidate', 'must-understand', 'immutable'];
const NO_STORE = 'no-store';
const MAX_AGE = 'max-age';

/** A name, and a value that may stand in quotes, with commas in them. */
const DIRECTIVE = /([^\s,="]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,"]*))?/g;

/** Of an answer that one caller has paid for. */
export function keepPrivate(headers: Headers): void {
  for (const name of [...headers.keys()]) if (TARGETED.test(name)) headers.delete(name);
  headers.set('cache-control', privateControl(headers.get('cache-control') ?? ''));
  const vary = headers.get('vary') ?? '';
  const names = vary.split(',').map((name) => name.trim().toLowerCase());
  // A cache that keeps it all the same has nothing for who comes without this proof.
  if (!names.includes('*') && !names.includes(PROOF)) headers.append('vary', PROOF.toUpperCase());
}

function privateControl(control: string): string {
  const kept = ['private'];
  for (const [, given = '', value = ''] of control.matchAll(DIRECTIVE)) {
    const name = given.toLowerCase();
    if (name === NO_STORE) return NO_STORE;
    const [seconds] = /\d{1,10}/.exec(value) ?? [];
    if (name === MAX_AGE && seconds !== undefined) kept.push(`${MAX_AGE}=${seconds}`);
    if (OWN.includes(name)) kept.push(name);
  }
  return kept.join(', ');
}
