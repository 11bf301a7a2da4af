/** Promises are kept up to what was set aside for them, whatever cheaper ones and usual tips would have the node spend before. */
import { describe, expect, it } from 'vitest';
import { LOUD, usePromises } from '../support/promise-asides.ts';
import { until } from '../support/until.ts';

const queue = usePromises();
const { sent, unit, dearer, promise, setAside, fund, mine, rise, stay, lost, minedBlock } = queue;

describe('a promise is kept', () => {
  it.each([
    ['before gas gets dearer', 0, 9],
    ['a block later', 1, 8],
  ])(
    'when it is sent %s, and gas then costs all that is set aside for it',
    async (_, before, after) => {
      setAside('promise', unit());
      await fund();
      rise();
      await mine(before);
      promise('promise', { blocks: 100n, wei: unit() });
      await until(() => sent.length >= 1, 'it is sent');
      await mine(after);
      stay();
      await mine(100 - after);
      expect(dearer()).toBeLessThan(3);
      expect(lost('promise')).toEqual([]);
    },
  );

  it.each([
    ['nobody else was promised anything', 0, 12n, 0],
    ['five cheap ones are far from their end', 5, 200n, 6],
    ['five cheap ones are near their end', 5, 12n, 6],
    ['two cheap ones are far from their end', 2, 200n, 9],
    ['two cheap ones are near their end', 2, 12n, 9],
  ])('when %s, and its money is left to it', async (_, cheap, blocks, full) => {
    setAside('promise', unit());
    const keys = Array.from({ length: cheap }, (_, n) => `cheap ${n}`);
    for (const key of keys) setAside(key, unit() / 10n);
    await fund();
    for (const key of keys) promise(key, { blocks, wei: unit() / 10n, mayShare: true });
    await mine(10);
    rise();
    await mine(full);
    stay();
    promise('promise', { blocks: 40n, wei: unit() });
    await mine(42);
    expect(dearer()).toBeLessThan(3);
    expect(lost('promise')).toEqual([]);
  });

  it.each([
    ['blocks ask for a tip, and nothing is before it', false, 10n ** 6n],
    ['one that can pay no tip is before it, and blocks ask for none', true, 0n],
    ['one that can pay no tip is before it, and blocks ask for one', true, 10n ** 6n],
  ])('at the price at which it was given, when %s', async (_, isBefore, leastTip) => {
    queue.network().simulated.setWeather({ leastTip });
    setAside('promise', unit());
    setAside('others', 2n * unit());
    if (isBefore) setAside('cheap', unit() / 10n);
    await fund();
    if (isBefore) promise('cheap', { blocks: 20n, wei: unit() / 10n, mayShare: true });
    await mine(2);
    promise('promise', { blocks: 24n, wei: unit() });
    await mine(30);
    expect(dearer()).toBeLessThan(1.1);
    expect(lost('promise')).toEqual([]);
  });
});

describe('what clears the way of a promise leaves to others what is theirs', () => {
  it.each([
    ['one is cheap before it, and tips are as usual', true, false],
    ['nothing is before it, and tips are loud', false, true],
    ['one is cheap before it, and tips are loud', true, true],
  ])('near its end, when %s', async (_, isBefore, isLoud) => {
    setAside('dear', unit());
    setAside('other', unit());
    if (isBefore) setAside('cheap', unit() / 2n);
    await fund();
    rise();
    if (isBefore) await queue.send('cheap', { blocks: 200n, wei: unit() / 2n });
    await queue.send('dear', { blocks: 30n, wei: unit() });
    await mine(6);
    stay();
    if (isLoud) queue.sayUsual(LOUD);
    await mine(14);
    promise('other', { blocks: 30n, wei: unit() });
    await mine(32);
    expect(dearer()).toBeLessThan(3);
    expect(lost('dear', 'other')).toEqual([]);
  });

  it.each([
    ['three are in the way, and tips are as usual', 3, false],
    ['one is in the way, and tips are loud', 1, true],
    ['three are in the way, and tips are loud', 3, true],
  ])('when %s', async (_, before, isLoud) => {
    const rich = { blocks: 100n, wei: (unit() * 5n) / 2n };
    const others = ['other 1', 'other 2'];
    setAside('rich', rich.wei);
    for (const key of others) setAside(key, unit());
    for (let n = 0; n < before; n++) setAside(`cheap ${n}`, unit() / 2n);
    await fund();
    rise();
    for (let n = 0; n < before; n++)
      await queue.send(`cheap ${n}`, { blocks: 200n, wei: unit() / 2n });
    await queue.send('rich', rich);
    await mine(5);
    if (isLoud) queue.sayUsual(LOUD);
    await mine(1);
    stay();
    await mine(8);
    expect(minedBlock('rich')).not.toBe(null);
    for (const key of others) promise(key, { blocks: 40n, wei: unit(), mayShare: true });
    await mine(90);
    expect(dearer()).toBeLessThan(3);
    expect(lost('rich', ...others)).toEqual([]);
  });
});
