/** How many answers a payer gets for nothing. */
import { describe, expect, it } from 'vitest';
import { createUnservedBounds } from '../../../src/x402/unserved.ts';

function bounds() {
  const clock = { time: 0 };
  const made = createUnservedBounds(() => clock.time);
  /** How many of so many calls at once are let in; all of them end so. */
  const calls = (payer: string, times: number, end: 'charged' | 'uncharged' | 'not_begun') => {
    const begun = Array.from({ length: times }, () => made.begin(payer));
    for (const one of begun) one?.end(end);
    return begun.filter((one) => one !== null).length;
  };
  return { ...made, clock, calls };
}

describe('a payer', () => {
  it('gets a hundred answers for nothing, also all at once, and then one in a second', () => {
    const { calls, clock, isOver } = bounds();
    expect(isOver('a')).toBe(false);
    expect(calls('a', 150, 'uncharged')).toBe(100);
    expect(isOver('a')).toBe(true);
    expect(calls('b', 1, 'uncharged')).toBe(1);
    clock.time += 3_000;
    expect(isOver('a')).toBe(false);
    expect(calls('a', 150, 'uncharged')).toBe(3);
  });

  it('has one more for each that was charged, up to a thousand', () => {
    const { calls } = bounds();
    expect(calls('a', 150, 'charged')).toBe(100);
    expect(calls('a', 250, 'charged')).toBe(200);
    expect(calls('a', 500, 'uncharged')).toBe(400);
    expect(calls('a', 1, 'charged')).toBe(0);
    for (let n = 0; n < 20; n++) calls('b', 1_000, 'charged');
    expect(calls('b', 5_000, 'uncharged')).toBe(1_100);
  });

  it('loses nothing by a call that was not begun, and gains nothing', () => {
    const { calls } = bounds();
    expect(calls('a', 1_000, 'not_begun')).toBe(100);
    expect(calls('a', 1_000, 'uncharged')).toBe(100);
  });

  it('is one, however its address is written', () => {
    const { calls } = bounds();
    calls('0xAB', 100, 'uncharged');
    expect(calls('0xab', 1, 'uncharged')).toBe(0);
  });
});

describe('payers who were never charged', () => {
  it('share what all of them get, since anybody can be many', () => {
    const { calls, clock, isOver } = bounds();
    calls('customer', 1, 'charged');
    let served = 0;
    for (let n = 0; n < 100; n++) served += calls(`stranger ${n}`, 100, 'uncharged');
    expect(served).toBe(1_000);
    expect(isOver('somebody')).toBe(true);
    expect(isOver('customer')).toBe(false);
    expect(calls('customer', 1, 'uncharged')).toBe(1);
    clock.time += 1_000;
    expect(calls('somebody', 80, 'charged')).toBe(50);
    // Who has been charged waits for no stranger.
    expect(calls('somebody', 80, 'charged')).toBe(80);
  });

  it('are not in the memory by asking', () => {
    const { calls, isOver } = bounds();
    calls('a', 100, 'uncharged');
    for (let n = 0; n < 20_000; n++) isOver(`invented ${n}`);
    expect(isOver('a')).toBe(true);
  });
});
