/** Links that ask for a payment, `sluice:0x…?token=0x…&amount=5`, as `docs/payment-links.md` describes them. */
import { MAX_UINT64, MAX_UINT256 } from '../basics/amount.ts';
import { type Address, isChecksummed } from '../basics/hex.ts';

/**
 * `amount`: in the token's smallest unit; null: the payer chooses. `chainId`: null: any chain with that token. `expires`:
 * seconds since 1970, as in offers of the scheme `channel` of x402; null: it does not.
 */
export type PaymentRequest = {
  target: Address;
  token: Address;
  amount: bigint | null;
  identifier: bigint | null;
  chainId: bigint | null;
  expires: bigint | null;
};
export type ParsedLink = { ok: true; value: PaymentRequest } | { ok: false; message: string };

const SCHEME = /^sluice:/i;
const LONGEST = 1_000;
/** A date can say it. */
const MOST_SECONDS = 8_640_000_000_000n;
/** Parameters that a reader must understand begin with it; others that it does not know are passed over. */
const NEEDED = 'req-';

/** What is left out is null. */
export function paymentLink({
  target,
  token,
  ...numbers
}: Pick<PaymentRequest, 'target' | 'token'> & Partial<PaymentRequest>): string {
  const { amount, identifier, chainId: chain, expires } = numbers;
  const parts = Object.entries({ amount, identifier, chain, expires }).map(([name, value]) =>
    value == null ? '' : `&${name}=${value}`,
  );
  return `sluice:${target}?token=${token}${parts.join('')}`;
}

/** The message says to a person what is wrong with the link. */
export function parsePaymentLink(text: string): ParsedLink {
  const link = text.trim();
  if (!SCHEME.test(link)) return wrong('It does not begin with “sluice:”.');
  if (link.length > LONGEST) return wrong('It is too long.');
  const [target = '', query = '', ...rest] = link.replace(SCHEME, '').split('?');
  if (rest.length > 0) return wrong('It has more than one “?”.');
  if (!isChecksummed(target)) return wrong(`Its target is no address with a checksum: ${target}`);
  const fields = fieldsIn(query);
  if (!fields.ok) return fields;
  return requestIn(target, fields.value);
}

type Fields = Map<string, string>;

function fieldsIn(query: string): { ok: true; value: Fields } | { ok: false; message: string } {
  const value: Fields = new Map();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [name = '', ...rest] = pair.split('=');
    if (value.has(name)) return wrong(`It says “${name}” twice.`);
    if (name.startsWith(NEEDED)) return wrong(`It needs “${name}”, which is not known here.`);
    value.set(name, rest.join('='));
  }
  return { ok: true, value };
}

function requestIn(target: Address, fields: Fields): ParsedLink {
  const token = fields.get('token') ?? '';
  if (!isChecksummed(token)) return wrong(`Its token is no address with a checksum: ${token}`);
  const amount = numberIn(fields.get('amount'), MAX_UINT256);
  const identifier = numberIn(fields.get('identifier'), MAX_UINT64);
  const chainId = numberIn(fields.get('chain'), MAX_UINT256);
  const expires = numberIn(fields.get('expires'), MOST_SECONDS);
  if (amount === 'wrong') return wrong('Its amount is no whole number of the smallest unit.');
  if (identifier === 'wrong') return wrong('Its identifier is no number from 1 to 2^64 - 1.');
  if (chainId === 'wrong') return wrong('Its chain is no chain id.');
  if (expires === 'wrong') return wrong('Its end is no number of seconds since 1970.');
  return { ok: true, value: { target, token, amount, identifier, chainId, expires } };
}

function numberIn(text: string | undefined, most: bigint): bigint | null | 'wrong' {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,77}$/.test(text)) return 'wrong';
  const value = BigInt(text);
  return value > most ? 'wrong' : value;
}

const wrong = (message: string) => ({ ok: false, message }) as const;
