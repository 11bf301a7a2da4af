/** What may happen to a tab, and which counters are good. */
import { describe, expect, it } from 'vitest';
import type { Hash } from '../../../src/basics/hex.ts';
import { beginCall, beginEnd, type Tab } from '../../../src/tabs/tab.ts';
import { newWindow, take, WINDOW, type Window } from '../../../src/tabs/window.ts';
import { isTicketOf, macOf, type Ticket, tabKey, tabPaymentId } from '../../../src/x402/ticket.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const OTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const hash = (byte: string): Hash => `0x${byte.repeat(32)}`;
const KEY = tabKey(hash('11'), hash('22'));

const tabWith = (parts: Partial<Tab> = {}): Tab => ({
  id: hash('33'),
  key: KEY,
  payer: OTHER,
  token: TOKEN,
  received: 100n,
  lumps: 0,
  charged: 0n,
  window: newWindow(),
  usedAt: 0,
  ending: null,
  ...parts,
});
const ticketWith = (parts: Partial<Ticket> = {}): Ticket => ({
  ...{ tab: hash('33'), counter: 1, from: 1, most: 10n, isLast: false, lump: null },
  ...parts,
});
const begun = (tab: Tab, ticket: Partial<Ticket>, price = 10n, aside = 0n) =>
  beginCall(tab, ticketWith(ticket), { token: TOKEN, price }, { aside, now: 5 });

/** The window after these counters, all of which it takes. */
function windowAfter(...counters: readonly [counter: number, from: number][]): Window {
  return counters.reduce<Window>((window, [counter, from]) => {
    const taken = take(window, counter, from);
    if (!taken.ok) throw new Error(taken.reason);
    return taken.window;
  }, newWindow());
}

describe('counters', () => {
  it('are good once, in any order', () => {
    const window = windowAfter([3, 0], [1, 0], [2, 0]);
    for (const counter of [1, 2, 3])
      expect(take(window, counter, 0)).toEqual({ ok: false, reason: 'counter_used' });
    expect(take(window, 0, 0)).toMatchObject({ ok: true });
  });

  it('stay good when a higher one overtakes them, and are refused far ahead', () => {
    const window = windowAfter([WINDOW - 1, 0]);
    expect(take(window, 0, 0)).toMatchObject({ ok: true });
    expect(take(window, WINDOW, 0)).toEqual({ ok: false, reason: 'counter_too_far' });
  });

  it('are used below what the buyer still waits for', () => {
    const window = windowAfter([1, 1], [5_000_000, 4_999_990]);
    expect(take(window, 4_999_989, 0)).toEqual({ ok: false, reason: 'counter_used' });
    expect(take(window, 1, 1)).toEqual({ ok: false, reason: 'counter_used' });
    expect(take(window, 4_999_990, 4_999_990)).toMatchObject({ ok: true });
  });

  it('are kept when the window moves over some of them', () => {
    const window = windowAfter([4, 0], [9, 3]);
    expect(take(window, 4, 3)).toEqual({ ok: false, reason: 'counter_used' });
    expect(take(window, 5, 3)).toMatchObject({ ok: true });
  });
});

describe('a call on a tab', () => {
  it('sets aside what it costs at most, and uses its counter', () => {
    const call = begun(tabWith(), { counter: 7, from: 2, most: 50n });
    expect(call).toMatchObject({ ok: true, aside: 10n, tab: { usedAt: 5, charged: 0n } });
    if (call.ok) expect(begun(call.tab, { counter: 7, from: 2 })).toMatchObject({ ok: false });
  });

  it.each([
    ['tab_exhausted', {}, 10n, 91n],
    ['most_too_low', { most: 9n }, 10n, 0n],
    ['counter_too_far', { counter: WINDOW, from: 0 }, 10n, 0n],
  ] as const)('is refused: %s', (reason, ticket, price, aside) => {
    expect(begun(tabWith(), ticket, price, aside)).toEqual({ ok: false, reason });
  });

  it('is refused for another token, and on a tab that is closed', () => {
    const other = { token: OTHER, price: 10n } as const;
    const at = { aside: 0n, now: 5 };
    expect(beginCall(tabWith(), ticketWith(), other, at)).toMatchObject({
      reason: 'tab_of_another_token',
    });
    expect(begun(beginEnd(tabWith(), 3), {})).toMatchObject({ reason: 'tab_closed' });
  });

  it('leaves what nobody has spent for the buyer, when the tab is closed', () => {
    const ending = { rest: 60n, attempt: 1, since: 3, overAt: null };
    expect(beginEnd(tabWith({ charged: 40n }), 3).ending).toEqual(ending);
    expect(beginEnd(tabWith({ charged: 100n }), 3).ending).toMatchObject({ rest: 0n, overAt: 3 });
    expect(beginEnd(tabWith({ ending }), 9).ending).toEqual(ending);
  });
});

describe('a ticket', () => {
  const call = { method: 'GET', url: 'https://shop.example/v1/weather?town=Fafnir' };
  const lump = { number: 1, payer: OTHER, secret: hash('44') } as const;
  const ticket = ticketWith({ lump });
  const mac = macOf(KEY, ticket, call);

  it('is for one call, and says what it says under its key alone', () => {
    expect(isTicketOf(KEY, { ...ticket, mac }, call)).toBe(true);
    const others: [Hash, Partial<Ticket>, Partial<typeof call>][] = [
      [hash('55'), {}, {}],
      [KEY, { counter: 2 }, {}],
      [KEY, { from: 0 }, {}],
      [KEY, { most: 11n }, {}],
      [KEY, { isLast: true }, {}],
      [KEY, { lump: null }, {}],
      [KEY, { lump: { ...lump, number: 2 } }, {}],
      [KEY, {}, { method: 'POST' }],
      [KEY, {}, { url: 'https://shop.example/v1/weather' }],
      [KEY, {}, { url: 'https://other.example/v1/weather?town=Fafnir' }],
    ];
    for (const [key, changed, place] of others)
      expect(isTicketOf(key, { ...ticket, ...changed, mac }, { ...call, ...place })).toBe(false);
  });

  it('has a key that neither the secret nor the tag gives alone', () => {
    const keys = [KEY, tabKey(hash('11'), hash('23')), tabKey(hash('12'), hash('22'))];
    expect(new Set(keys).size).toBe(3);
  });

  it('names other payments of its tab by other identifiers, of 63 bits', () => {
    const ids = [1, 2, 3, 'rest' as const].map((what) => tabPaymentId(KEY, what));
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id > 0n && id < 2n ** 63n).toBe(true);
  });
});
