/** Promises are kept by a node that starts again, too, and by one that has many of them at as many prices. */
import { describe, expect, it } from 'vitest';
import { LOUD, usePromises } from '../support/promise-asides.ts';
import { TIP } from '../support/promises.ts';

const queue = usePromises();
const { unit, dearer, setAside, fund, promise, send, mine, restart, rise, stay, sayUsual, lost } =
  queue;

it.each([
  ['goes on, and tips are loud', false, true],
  ['starts again, and tips are as usual', true, false],
  ['starts again, and tips are loud', true, true],
])(
  'two promises of one price are kept, the later one due first, when the node %s',
  async (_, isRestarted, isLoud) => {
    const usual = () => sayUsual(isLoud ? LOUD : TIP);
    setAside('slow', unit());
    setAside('near', unit());
    await fund();
    rise();
    await send('slow', { blocks: 60n, wei: unit() });
    await send('near', { blocks: 20n, wei: unit() });
    if (isRestarted) await restart(8, usual);
    else await mine(8);
    usual();
    stay();
    await mine(55);
    expect(dearer()).toBeLessThan(3);
    expect(lost('slow', 'near')).toEqual([]);
  },
);

describe('of thirty promises at as many prices those are kept that can pay', () => {
  it.each([
    ['which share', true, 18, false, false],
    ['which share, when tips are loud', true, 18, false, true],
    ['which share, at a node that starts again and again', true, 18, true, false],
    ['each alone', false, 18, false, false],
    ['which share, when gas gets only four times as dear', true, 12, false, false],
    ['which share, at a node that starts again and again when tips are loud', true, 12, true, true],
  ])('%s', async (_, mayShare, full, isRestarted, isLoud) => {
    const all = Array.from({ length: 30 }, (_, n) => ({ key: `promise ${n}`, times: (n + 1) / 5 }));
    const weiOf = (times: number) => (unit() * BigInt(Math.round(5 * times))) / 5n;
    if (isLoud) sayUsual(LOUD);
    for (const { key, times } of all) setAside(key, weiOf(times));
    await fund();
    rise();
    for (const [n, { key, times }] of all.entries())
      promise(key, { blocks: 60n + BigInt((n + 1) % 3), wei: weiOf(times), mayShare });
    for (let block = 0; block < full; block++) {
      await mine(1);
      if (isRestarted && block % 4 === 3) await restart(0);
    }
    stay();
    await mine(66 - full);
    const able = all.filter(({ times }) => 3 * times >= dearer());
    expect(able.length).toBeGreaterThan(5);
    expect(lost(...able.map(({ key }) => key))).toEqual([]);
  });
});
