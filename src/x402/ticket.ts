/**
 * Tickets: what a call shows that draws from a tab (docs/pay-per-call.md). Buyer and seller know one key; each ticket has a counter,
 * and a code under the key that binds it to one method and URL.
 */
import * as Hash from 'ox/Hash';
import { parseDecimal } from '../basics/amount.ts';
import { type Hash as Hash32, type Hex, isHexOf } from '../basics/hex.ts';
import { isSame, packed } from './tags.ts';

/** A further payment to a tab. `number`: 1 for the first after that which opened the tab. */
export type Lump = { number: number; payer: Hex; secret: Hex };
/**
 * `tab`: the secrethash of the payment that opened it. `from`: the lowest counter that the buyer still waits for or may use:
 * what is below is done. `most`: what the call may cost, in the token's smallest unit. `isLast`: no call, the buyer wants the rest.
 */
export type Ticket = {
  tab: Hash32;
  counter: number;
  from: number;
  most: bigint;
  isLast: boolean;
  lump: Lump | null;
};
export type SignedTicket = Ticket & { mac: Hex };

const VERSION = 'sluice x402 tab 1';
const MOST_ID = 2n ** 63n - 1n;

/** HKDF with SHA-256, whose salt is the tag: mediators learn the secret, and never the tag. */
export function tabKey(secret: Hex, tag: Hex): Hash32 {
  const root = Hash.hmac256(tag, secret, { as: 'Hex' });
  return hmac(root, new TextEncoder().encode(`${VERSION}\u0001`));
}

const hmac = (key: Hex, bytes: Uint8Array): Hash32 => Hash.hmac256(key, bytes, { as: 'Hex' });

/** The identifier of a payment for a tab, which nobody knows who has not the key: of a lump, or of the rest. */
export function tabPaymentId(key: Hash32, what: number | 'rest'): bigint {
  const drawn =
    BigInt(hmac(key, packed([VERSION, 'identifier', `${what}`])).slice(0, 18)) & MOST_ID;
  return drawn === 0n ? 1n : drawn;
}

/** `url`: as the client asks for it, without a fragment. */
export function macOf(
  key: Hash32,
  ticket: Ticket,
  { method, url }: { method: string; url: string },
): Hex {
  const { tab, counter, from, most, isLast, lump } = ticket;
  const added = lump === null ? [] : [`${lump.number}`, lump.payer, lump.secret];
  const words = [
    VERSION,
    method,
    url,
    tab,
    `${counter}`,
    `${from}`,
    `${most}`,
    `${isLast}`,
    ...added,
  ];
  return hmac(key, packed(words));
}

/** In a time that does not depend on where they differ. */
export const isTicketOf = (
  key: Hash32,
  { mac, ...ticket }: SignedTicket,
  call: { method: string; url: string },
): boolean => isSame(mac.toLowerCase(), macOf(key, ticket, call));

/** As JSON of a payload. */
export function ticketPayload({ most, isLast, lump, ...ticket }: SignedTicket) {
  return {
    ...ticket,
    most: `${most}`,
    ...(isLast ? { close: true } : {}),
    ...(lump === null ? {} : { lump }),
  };
}

/** What a payload is for. Null: it is no ticket. */
export function ticketIn(payload: unknown): SignedTicket | null {
  const {
    tab,
    counter,
    from,
    most: text,
    close,
    lump,
    mac,
  }: Record<string, unknown> = Object(payload);
  const most = parseDecimal(text, 78);
  if (!isHexOf(tab, 32) || !isHexOf(mac, 32) || most === null) return null;
  if (!isCount(counter) || !isCount(from) || from > counter) return null;
  const added = lump === undefined ? null : lumpIn(lump);
  if (lump !== undefined && added === null) return null;
  return { tab: lowered(tab), counter, from, most, isLast: close === true, lump: added, mac };
}

/** As texts of it are compared. */
const lowered = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`;

function lumpIn(value: unknown): Lump | null {
  const { number, payer, secret }: Record<string, unknown> = Object(value);
  const isLump = isCount(number) && number > 0 && isHexOf(payer, 20) && isHexOf(secret, 32);
  return isLump ? { number, payer, secret } : null;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
