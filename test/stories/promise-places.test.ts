/** No promise that can pay waits behind one that cannot, however the cheaper one came before it. */
import { describe, expect, it } from 'vitest';
import { LOUD, usePromises } from '../support/promise-asides.ts';
import { TIP } from '../support/promises.ts';
import { until } from '../support/until.ts';

const queue = usePromises();
const { sent, unit, dearer, setAside, fund, promise, send, mine, rise, stay, sayUsual, lost } =
  queue;

describe('a promise does not wait', () => {
  it.each([
    ['when none is before it', 0, false, 14],
    ['when none is before it, and tips are loud', 0, true, 15],
    ['when none is before it, at twice its price', 0, false, 20],
    ['for a cheap one', 1, false, 14],
    ['for a cheap one when tips are loud', 1, true, 15],
    ['for a cheap one at twice its price', 1, false, 20],
    ['for three cheap ones at twice its price', 3, false, 20],
  ])('%s', async (_, before, isLoud, full) => {
    const cheap = { blocks: 300n, wei: unit() / 2n };
    const dear = { blocks: 80n, wei: 5n * unit() };
    setAside('dear', dear.wei);
    for (let n = 0; n < before; n++) setAside(`cheap ${n}`, cheap.wei);
    await fund();
    rise();
    for (let n = 0; n < before; n++) await send(`cheap ${n}`, cheap);
    if (isLoud) sayUsual(LOUD);
    await send('dear', dear);
    await mine(full);
    stay();
    await mine(82 - full);
    // It was given when gas cost five times as much.
    expect(dearer() / 5).toBeLessThan(2.5);
    expect(lost('dear')).toEqual([]);
  });

  it.each([
    ['which stays mined', true, false],
    ['which was not mined yet', false, false],
    ['which a reorganisation has brought back', true, true],
  ])('for a cheap one %s', async (_, isMinedFirst, isReplaced) => {
    setAside('dear', unit());
    setAside('cheap', unit() / 2n);
    await fund();
    if (!isMinedFirst) rise();
    await send('cheap', { blocks: 200n, wei: unit() / 2n });
    if (isMinedFirst) {
      await queue.mine(1);
      expect(queue.isMined('cheap')).toBe(true);
    }
    rise();
    await send('dear', { blocks: 60n, wei: unit() });
    if (isReplaced) {
      queue.network().simulated.reorganise(1, { keep: 'later' });
      await fund();
    }
    await mine(6);
    stay();
    await mine(60);
    expect(dearer()).toBeLessThan(2.4);
    expect(lost('dear')).toEqual([]);
  });

  it.each([
    ['a cheap one where nobody has ordered anything', false, true],
    ['an order at a price that it cannot pay', true, false],
    ['a cheap one behind such an order', true, true],
  ])('for %s', async (_, isOrdered, isCheap) => {
    setAside('dear', unit());
    rise();
    if (isOrdered) {
      sayUsual((9n * unit()) / (10n * 180_000n));
      await fund(20n * unit());
      await queue.order('order');
      sayUsual(TIP);
    }
    if (isCheap) setAside('cheap', unit() / 3n);
    await fund(queue.reserved());
    if (isCheap) await send('cheap', { blocks: 200n, wei: unit() / 3n });
    await send('dear', { blocks: 60n, wei: unit() });
    await mine(7);
    stay();
    await mine(60);
    expect(dearer()).toBeLessThan(2.4);
    expect(lost('dear')).toEqual([]);
  });

  it.each([
    ['for two behind one that has used no more than its own', false, 2],
    ['for one that has used free money', true, 0],
    ['for two behind one that has used free money', true, 2],
    ['for three behind one that has used free money', true, 3],
    ['for six behind one that has used free money', true, 6],
    ['for nine behind one that has used free money', true, 9],
    ['for nine behind one that has used no more than its own', false, 9],
  ])('%s', async (_, isLoud, cheaps) => {
    setAside('dear', unit());
    rise();
    if (isLoud) sayUsual((43n * unit()) / (10n * 180_000n));
    await fund(20n * unit());
    await send('rich', { blocks: 200n, wei: (8n * unit()) / 10n });
    sayUsual(TIP);
    for (let n = 0; n < cheaps; n++) setAside(`cheap ${n}`, unit() / 3n);
    await fund(queue.reserved());
    // More than three do not find places as registrations.
    const isUpdate = cheaps > 3;
    for (let n = 0; n < cheaps; n++)
      await send(`cheap ${n}`, { blocks: 200n, wei: unit() / 3n, isUpdate });
    promise('dear', { blocks: 60n, wei: unit() });
    await mine(7);
    stay();
    await mine(60);
    expect(dearer()).toBeLessThan(2.4);
    expect(lost('dear')).toEqual([]);
  });
});

it('a cheap one that a reorganisation brings back keeps its nonce as long as it can be mined', async () => {
  setAside('dear', unit());
  setAside('cheap', unit() / 2n);
  await fund();
  await send('cheap', { blocks: 200n, wei: unit() / 2n });
  await queue.mine(1);
  rise();
  await send('dear', { blocks: 60n, wei: unit() });
  queue.network().simulated.reorganise(1, { keep: 'later' });
  await fund();
  await mine(2);
  stay();
  await mine(10);
  const [cheap] = sent;
  const ofNonce = sent.filter(({ nonce }) => nonce === cheap?.nonce);
  expect(new Set(ofNonce.map(({ hash }) => hash)).size).toBe(1);
  expect(lost('cheap', 'dear')).toEqual([]);
});

describe('a promise finds a place', () => {
  it.each([
    ['besides three behind one that is stuck', true, 3],
    ['besides four of which none is stuck', false, 4],
    ['besides four behind one that is stuck', true, 4],
    ['besides five behind one that is stuck, some of which share', true, 5],
  ])('%s', async (_, isBefore, behind) => {
    const high = { blocks: 300n, wei: (73n * unit()) / 100n, mayShare: true };
    const low = { ...high, wei: (66n * unit()) / 100n };
    setAside('dear', unit());
    for (let n = 0; n < behind; n++) setAside(`high ${n}`, high.wei);
    if (isBefore) setAside('low', low.wei);
    await fund();
    rise();
    if (isBefore) await send('low', low);
    for (let n = 0; n < behind; n++) {
      promise(`high ${n}`, high);
      await mine(1);
    }
    while (dearer() < 1.85) await mine(1);
    stay();
    await mine(3);
    promise('dear', { blocks: 60n, wei: unit(), mayShare: true });
    await mine(62);
    expect(dearer()).toBeLessThan(2.4);
    expect(lost('dear')).toEqual([]);
  });

  it.each([
    ['alone, before one that is stuck sooner', true, 0],
    ['with twenty cheaper ones, when nothing is before them', false, 20],
    ['with twenty cheaper ones, before one that is stuck sooner', true, 20],
  ])('%s', async (_, isBefore, riders) => {
    // 0.94 times what a batch of all would have for each unit of gas.
    const before = (unit() * 57_500n * 78n * 94n) / (607_500n * 1_000n);
    const cheap = { blocks: 200n, wei: (34n * unit()) / 100n, mayShare: true };
    setAside('dear', unit());
    for (let n = 0; n < riders; n++) setAside(`cheap ${n}`, cheap.wei);
    if (isBefore) setAside('before', before);
    await fund();
    rise();
    if (isBefore) await send('before', { blocks: 200n, wei: before });
    const count = sent.length;
    promise('dear', { blocks: 60n, wei: unit(), mayShare: true });
    for (let n = 0; n < riders; n++) promise(`cheap ${n}`, cheap);
    await until(() => sent.length > count, 'they are sent');
    await mine(6);
    while (dearer() < 1.95) await mine(1);
    stay();
    await mine(55);
    expect(dearer()).toBeLessThan(2.4);
    expect(lost('dear')).toEqual([]);
  });
});
