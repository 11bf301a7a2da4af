/** What a buyer believes of the totals that a seller tells. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createHeldTabs, type HeldTab, type HeldTabs } from '../../../src/x402/held-tabs.ts';
import { ASSET, NETWORK, SELLER } from '../../support/x402-market.ts';

const ORIGIN = 'https://shop.example';
const MOST = 10n;
const place = { method: 'GET', url: `${ORIGIN}/v1` };
const demand = {
  ...({
    scheme: 'channel',
    network: NETWORK,
    asset: ASSET,
    payTo: SELLER,
    amount: '1000',
  } as const),
  ...{ maxTimeoutSeconds: 60, extra: { tab: { most: '5000', idleSeconds: 60 } } },
};

let tabs: HeldTabs;
let tab: HeldTab;

beforeEach(() => {
  tabs = createHeldTabs({
    ...{ most: MOST, mostOnTab: 5_000n, now: () => 0 },
    pay: () => Promise.resolve(null),
  });
  const [id, key] = ['11', '22'].map((byte) => `0x${byte.repeat(32)}` as const);
  tabs.hold(ORIGIN, { id: id ?? '0x', key: key ?? '0x', demand, place, paid: 1_000n });
  const held = tabs.at(ORIGIN);
  if (held === undefined) throw new Error('it is held');
  tab = held;
  // The call that opened it.
  expect(says({ amount: 4n, total: 4n })).toBe(true);
});

function call(times = 1) {
  const made = Array.from({ length: times }, () => tabs.ticket(tab, place));
  return made.at(-1);
}
/** Whether the buyer believes it. */
function says({ amount, total }: { amount: bigint | null; total: bigint }): boolean {
  const said = { total, left: 1_000n - total, lumps: 0 };
  return tabs.note(tab, { success: true, reason: '', amount, tab: said });
}

describe('what a seller says of a tab', () => {
  it('is believed in whatever order the answers come', () => {
    call(3);
    expect(says({ amount: 10n, total: 20n })).toBe(true);
    expect(says({ amount: 6n, total: 10n })).toBe(true);
    expect(says({ amount: 0n, total: 16n })).toBe(true);
    expect(tab.charged).toBe(20n);
    expect(tab.atMost).toBe(20n);
  });

  it('is no more than the most for each call of which it has not said what it came to', () => {
    call(2);
    expect(says({ amount: null, total: 24n })).toBe(true);
    expect(says({ amount: null, total: 25n })).toBe(false);
  });

  it('is no more than it has said of the calls before', () => {
    call();
    expect(says({ amount: 3n, total: 7n })).toBe(true);
    call();
    expect(says({ amount: 3n, total: 11n })).toBe(false);
  });

  it('is no more for a call than its ticket allows, and nothing for a ticket that it refused', () => {
    call();
    expect(says({ amount: 11n, total: 15n })).toBe(false);
    call()?.refused();
    expect(says({ amount: null, total: 15n })).toBe(false);
  });

  it('is no more than was paid', () => {
    call(100);
    expect(says({ amount: null, total: 1_000n })).toBe(true);
    call();
    expect(says({ amount: null, total: 1_001n })).toBe(false);
  });
});

describe('a ticket', () => {
  it('is no further ahead of a call that waits than the window of the seller', () => {
    const slow = tabs.ticket(tab, place);
    const others = Array.from({ length: 1_500 }, () => tabs.ticket(tab, place));
    for (const one of others) one?.done();
    const made = others.filter((one) => one !== null);
    expect(made.length).toBeLessThan(1_024);
    expect(tabs.ticket(tab, place, 'close')).not.toBeNull();
    slow?.done();
    expect(tabs.ticket(tab, place)).not.toBeNull();
  });
});
