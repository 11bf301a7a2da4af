/**
 * Promises in blocks that are full, half full or empty, with tips of any size, restarts and reorganisations, and an operator that
 * spends all that is free. None is lost for which blocks asked no more than its own money pays.
 */
import { expect, it } from 'vitest';
import { chances, type Drawn, type Due, startChances } from '../support/promise-chances.ts';
import { REGISTRATION } from '../support/promises.ts';

/** By the gas that is set aside for a registration, and how much dearer than when it was promised gas may get. */
const [ASIDE, MOST] = [3n * REGISTRATION, 2.5];

type OfTwo = Due & { isCheap: boolean };

function ofTwoPrices(drawn: Drawn, start: bigint, price: bigint): OfTwo[] {
  return Array.from({ length: 4 + drawn(20) }, (_, number) => {
    const isCheap = number % 2 === 1;
    const mayShare = drawn(3) > 0;
    const due = start + BigInt(drawn(40));
    const deadline = due + 25n + BigInt(drawn(25)) + (isCheap ? 200n : 0n);
    const wei = (ASIDE * price) / (isCheap ? 3n : 1n);
    return { number: 100 + number, wei, isCheap, mayShare, due, deadline };
  });
}

it.each([225, 254, 9072, 9106, ...Array.from({ length: 6 }, (_, n) => 17 + n)])(
  'of promises at two prices none that can pay is lost, by the seed %i',
  async (seed) => {
    const drawn = chances(seed);
    const world = await startChances(drawn, ({ start, price }) => ofTwoPrices(drawn, start, price));
    const { fill, dearer } = world;
    const away = (now: number) => async () => {
      const blocks = drawn(8);
      if (now * 1.125 ** (blocks + 3) > MOST) fill(0n);
      for (let n = 0; n < blocks; n++) await world.mine();
    };
    let worst = 0;
    for (let block = 0; block < 100; block++) {
      fill(0n);
      if (drawn(6) === 0) world.reorganise(3);
      const now = dearer();
      worst = Math.max(worst, now);
      if (now < MOST / 1.13 && drawn(3) > 0) fill(2n);
      else fill(now > MOST * 0.9 || (drawn(4) === 0 && now > 1) ? 0n : 1n);
      if (drawn(10) === 0) world.drawTip();
      if (drawn(15) === 0) await world.restart(away(now));
      await world.mineOne();
    }
    expect(await world.stop()).toEqual([]);
    expect(worst).toBeLessThan(3);
    expect(world.all.filter((one) => !one.isCheap && world.isLost(one))).toEqual([]);
  },
);

/** Prices at which something was promised, by that of the first block. */
const LEVELS = [0.45, 0.55, 0.62, 0.7, 0.8, 0.9, 1, 1, 1.15];
/** Blocks in a row in which a promise must be mined. */
const ENOUGH = 15;
const BLOCKS = 150;

type OfMany = Due & { level: number };

function ofManyPrices(drawn: Drawn, start: bigint, price: bigint): OfMany[] {
  return Array.from({ length: 6 + drawn(26) }, (_, number) => {
    const due = start + BigInt(drawn(60));
    const isPromised = drawn(6) > 0;
    const endBlock = drawn(6) === 0 ? due + BigInt(drawn(10)) : null;
    const level = LEVELS[drawn(LEVELS.length)] ?? 1;
    const isUpdate = drawn(4) === 0;
    const mayShare = drawn(3) > 0 && !isUpdate;
    const deadline = due + 30n + BigInt(drawn(60));
    const gas = isUpdate ? (ASIDE * 11n) / 6n : ASIDE;
    const wei = isPromised ? (gas * price * BigInt(Math.round(level * 1_000))) / 1_000n : 0n;
    const terms = { isPromised, endBlock, isUpdate, mayShare, due, deadline };
    return { number: 100 + number, wei, level, ...terms };
  });
}

it.each(Array.from({ length: 8 }, (_, n) => 8 + n))(
  'of promises at nine prices, options and claims that end none that can pay is lost, by the seed %i',
  async (seed) => {
    const drawn = chances(seed);
    const world = await startChances(drawn, ({ start, price }) =>
      ofManyPrices(drawn, start, price),
    );
    const { simulated, head, fill, dearer, given } = world;
    if (drawn(3) === 0) simulated.setWeather({ leastTip: 10n ** 6n });
    /** The least promise that each block would have taken, by its price. */
    const asked = new Map<bigint, number>();
    let [level, worst] = [1 + drawn(14) / 10, 0];
    for (let block = 0; block < BLOCKS; block++) {
      fill(0n);
      if (drawn(8) === 0) world.reorganise(4);
      const now = dearer();
      worst = Math.max(worst, now);
      if (drawn(25) === 0) level = 0.6 + drawn(19) / 10;
      const isFull = now * 1.125 <= level && drawn(5) > 0;
      fill(isFull ? 2n : now > level * 1.05 ? 0n : 1n);
      asked.set(head().number + 1n, isFull ? Number.POSITIVE_INFINITY : now * 1.14 + 0.01);
      if (drawn(12) === 0) world.drawTip();
      world.setSilent(drawn(15) === 0);
      if (drawn(15) === 0) await world.restart();
      const { pool } = simulated;
      if (drawn(4) === 0)
        for (const one of pool.waiting()) if (one.maxFeePerGas < head().baseFee) pool.drop(one);
      await world.mineOne();
      if (drawn(10) === 0) await world.payIn(ASIDE * given.price * 3n);
    }
    expect(await world.stop()).toEqual([]);
    expect(worst).toBeLessThan(3);
    const last = given.start + BigInt(BLOCKS) - 8n;
    const mustBeMined = ({ isPromised, endBlock, deadline, due, level }: OfMany) =>
      isPromised === true &&
      endBlock === null &&
      deadline < last &&
      longestRun(due + 2n, deadline, (n) => (asked.get(n) ?? 99) <= MOST * level) >= ENOUGH;
    expect(world.all.filter((one) => mustBeMined(one) && world.isLost(one))).toEqual([]);
  },
);

/** Most blocks in a row, from the first to the last one, for which this holds. */
function longestRun(first: bigint, last: bigint, holds: (block: bigint) => boolean): number {
  let [run, most] = [0, 0];
  for (let n = first; n <= last; n++) {
    run = holds(n) ? run + 1 : 0;
    most = Math.max(most, run);
  }
  return most;
}
