/** The disk fails while a tab is opened. */
import { expect, it } from 'vitest';
import type { Hash } from '../../../src/basics/hex.ts';
import { createTabs } from '../../../src/tabs/tabs.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const hash = (byte: string): Hash => `0x${byte.repeat(32)}`;

it('a call that would open a tab is not served, and hears that tabs cannot be used', async () => {
  const nothing = () => {};
  const tabs = createTabs({
    book: {
      ...{ instance: 'one', load: () => [], isKnown: () => false, isBroken: () => false },
      ...{ note: nothing, forget: nothing, close: nothing },
      written: () => Promise.reject(new Error('the disk is full')),
    },
    rests: { pay: nothing, goOn: nothing, stop: nothing },
    redeem: () => Promise.resolve(null),
    ...{ idleSeconds: 60, now: Date.now },
  });
  const opening = {
    id: hash('01'),
    key: hash('02'),
    payer: TOKEN,
    token: TOKEN,
    received: 9n,
  } as const;
  expect(await tabs.open(opening, { token: TOKEN, price: 2n })).toEqual({
    ok: false,
    reason: 'unavailable',
  });
  await tabs.stop();
});
