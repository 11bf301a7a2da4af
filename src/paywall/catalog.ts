/** What is sold, for those who look for it: one page about all rules, and what each offer says to lists of x402 (bazaar). */
import { SCHEME, X402_VERSION } from '../x402/offer.ts';
import type { Rule } from './rules.ts';
import type { Seller } from './seller.ts';

export const CATALOG = '/.well-known/x402';
/** Rules on the page. */
const MOST = 1_000;
/** Seconds for which readers may keep it: prices change with a start. */
const MAX_AGE = 60;

/** `amountOf`: of a rule with a price, in the token's smallest unit. Null: a rule is about the page itself. */
export function catalogOf(
  rules: readonly Rule[],
  { network, address }: Seller,
  amountOf: (rule: Rule) => string,
): (() => Response) | null {
  if (rules.some(({ pattern }) => pattern === CATALOG)) return null;
  const resources = rules.slice(0, MOST).flatMap((rule) => {
    const { method, pattern: path, price } = rule;
    if (price === null) return [];
    const amount = amountOf(rule);
    const named = { method: method ?? '*', path, price: price.amount, amount, token: price.token };
    return [{ ...named, network, payTo: address, scheme: SCHEME }];
  });
  const text = JSON.stringify({ x402Version: X402_VERSION, resources });
  const headers = { 'content-type': 'application/json', 'cache-control': `max-age=${MAX_AGE}` };
  return () => new Response(text, { headers });
}

const METHOD = { type: 'string' };

/** In the offer: what the call is, which is all that the paywall knows of it, and a schema of that. */
export const BAZAAR = {
  key: 'bazaar',
  enrichDeclaration(_: unknown, transport: unknown) {
    const { method }: { method?: unknown } = Object(transport);
    const properties = {
      type: { ...METHOD, const: 'http' },
      method: { ...METHOD, enum: [method] },
    };
    const input = { type: 'object', properties, required: ['type', 'method'] };
    return {
      info: { input: { type: 'http', method } },
      schema: { type: 'object', properties: { input }, required: ['input'] },
    };
  },
};
