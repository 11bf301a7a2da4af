/** Tabs to the byte, as docs/x402-scheme.md has them: what src makes, and what its words say, made without src. */
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Hex } from '../../../src/basics/hex.ts';
import { createTags } from '../../../src/x402/tags.ts';
import {
  isTicketOf,
  macOf,
  type Ticket,
  tabKey,
  tabPaymentId,
  ticketIn,
  ticketPayload,
} from '../../../src/x402/ticket.ts';
import vectors from '../../x402-vectors.json' with { type: 'json' };

const hexOf = (text: string): Hex => `0x${text.replace(/^0x/, '')}`;
const { bound, tag, secret, id, tabKey: key, identifiers, tickets } = vectors.tab;

describe('a tab in src', () => {
  it('has the tag of its offer, which that of a call is not', () => {
    const tags = createTags(vectors.key);
    expect(tags.tagOf(bound)).toBe(tag);
    expect(tags.isTagOf(tag, { ...bound, tab: null })).toBe(false);
  });

  it('has a key that both sides derive', () => {
    expect(tabKey(hexOf(secret), hexOf(tag))).toBe(key);
  });

  it.each(identifiers)('pays $what with its identifier', ({ what, identifier }) => {
    const payment = what === 'rest' ? what : Number(what);
    expect(`${tabPaymentId(hexOf(key), payment)}`).toBe(identifier);
  });

  it.each(tickets)('has a ticket: $title', ({ method, url, payload }) => {
    const ticket = ticketIn(payload);
    if (ticket === null) throw new Error('it is no ticket');
    expect(isTicketOf(hexOf(key), ticket, { method, url })).toBe(true);
    const { mac, ...unsigned } = ticket;
    expect(macOf(hexOf(key), unsigned satisfies Ticket, { method, url })).toBe(mac);
    expect(ticketPayload(ticket)).toEqual(payload);
  });

  it('tells all tickets from one another', () => {
    expect(new Set(tickets.map(({ payload }) => payload.mac)).size).toBe(tickets.length);
  });
});

describe('a tab by the words of its specification', () => {
  const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex');
  const packed = (words: readonly string[]) =>
    Buffer.concat(
      words.flatMap((word) => {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(Buffer.byteLength(word));
        return [length, Buffer.from(word)];
      }),
    );
  const hmac = (of: string, words: readonly string[]) =>
    createHmac('sha256', bytesOf(of)).update(packed(words)).digest();

  it('has a key of HKDF, and an identifier of the payment that opened it', () => {
    const info = Buffer.from('sluice x402 tab 1');
    const derived = hkdfSync('sha256', bytesOf(secret), bytesOf(tag), info, 32);
    expect(hexOf(Buffer.from(derived).toString('hex'))).toBe(key);
    expect(hexOf(createHash('sha256').update(bytesOf(secret)).digest('hex'))).toBe(id);
  });

  it.each(identifiers)('pays $what with its identifier', ({ what, identifier }) => {
    const drawn = hmac(key, ['sluice x402 tab 1', 'identifier', `${what}`]).readBigUInt64BE();
    expect(`${BigInt.asUintN(63, drawn)}`).toBe(identifier);
  });

  it.each(tickets)('has a ticket: $title', ({ method, url, payload }) => {
    const { tab, counter, from, most, close, lump, mac } = payload;
    const said = [tab, `${counter}`, `${from}`, most, close === true ? 'true' : 'false'];
    const added = lump === undefined ? [] : [`${lump.number}`, lump.payer, lump.secret];
    const words = ['sluice x402 tab 1', method, url, ...said, ...added];
    expect(hexOf(hmac(key, words).toString('hex'))).toBe(mac);
  });
});
