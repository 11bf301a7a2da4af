import { describe, expect, it } from 'vitest';
import {
  blockTime,
  headTrouble,
  longestAge,
  longestLookAge,
  lookTrouble,
  type Pace,
  paceAfter,
} from '../../../src/chain/watch/freshness.ts';

const NOW = 1_700_000_000_000;
const S = 1000;
const paceOf = (each: number): Pace => Array.from({ length: 9 }, () => each);
const aged = (age: number) => ({ number: 7n, time: NOW - age });

describe('the block time of a chain', () => {
  it('is the median of what the last heads showed, for each block between them', () => {
    const heads = [0, 12, 24, 60, 61].map((time, n) => ({ number: BigInt(n), time: time * S }));
    const pace = heads
      .slice(1)
      .reduce<Pace>((so, next, n) => paceAfter(so, heads[n] ?? next, next), []);
    expect(pace).toEqual([12 * S, 12 * S, 36 * S, S]);
    expect(blockTime(pace)).toBe(12 * S);
    expect(paceAfter([], { number: 10n, time: 0 }, { number: 14n, time: 8 * S })).toEqual([2 * S]);
  });

  it('learns nothing from a fork, or from time that runs backwards', () => {
    const head = { number: 10n, time: NOW };
    for (const next of [head, { number: 9n, time: NOW + S }, { number: 11n, time: NOW - S }])
      expect(paceAfter([5], head, next)).toEqual([5]);
  });

  it('is not moved by some headers that lie, and is bounded when all of them do', () => {
    expect(blockTime([...paceOf(2 * S), 1e12, 1e12, 1e12])).toBe(2 * S);
    expect(blockTime(paceOf(1e12))).toBe(30 * S);
    expect(blockTime(paceOf(0))).toBe(100);
    expect(longestAge(paceOf(1e12))).toBe(180 * S);
  });

  it('is remembered for the last 31 changes only', () => {
    let pace: Pace = paceOf(1e9);
    for (let n = 0; n < 40; n++)
      pace = paceAfter(pace, { number: 0n, time: 0 }, { number: 1n, time: S });
    expect(pace).toEqual(Array.from({ length: 31 }, () => S));
  });
});

describe('the newest block', () => {
  it.each([
    ['of twelve seconds a block', 12 * S, 72 * S],
    ['of two seconds a block', 2 * S, 15 * S],
    ['of one second a block', S, 15 * S],
    ['of four blocks a second', 250, 3.75 * S],
    ['that is faster than it can be looked at', 10, 3 * S],
  ])(
    'on a chain %s can be relied on until it is so old that many later blocks may be unseen',
    (_, each, most) => {
      expect(longestAge(paceOf(each))).toBe(most);
      expect(headTrouble(aged(most), paceOf(each), NOW)).toBeNull();
      expect(headTrouble(aged(most + 1), paceOf(each), NOW)).toContain('the endpoint is behind');
    },
  );

  it('is held against a block time of twelve seconds while none is known', () => {
    expect(longestAge([])).toBe(72 * S);
  });

  it('names the clock of this machine when it is ten minutes wrong', () => {
    expect(headTrouble(aged(600 * S), paceOf(12 * S), NOW)).toBe(
      'By the clock of this machine, the newest block that the endpoint knows (7) is 10 minutes old: ' +
        'the endpoint is behind, or the clock is fast.',
    );
    expect(headTrouble(aged(-600 * S), paceOf(12 * S), NOW)).toBe(
      'The clock of this machine is 10 minutes behind the newest block (7): set it, e.g. by NTP.',
    );
  });

  it('may be a little ahead of the clock, and no more', () => {
    expect(headTrouble(aged(-15 * S), paceOf(12 * S), NOW)).toBeNull();
    expect(headTrouble(aged(-15 * S - 1), paceOf(12 * S), NOW)).not.toBeNull();
  });
});

describe('a look at the chain', () => {
  it('is too old after fifteen seconds, or after three times the pause between two', () => {
    expect([20, S, 60 * S].map(longestLookAge)).toEqual([15 * S, 15 * S, 180 * S]);
    expect(lookTrouble(15 * S, S)).toBeNull();
    expect(lookTrouble(36_000 * S, S)).toBe(
      'The endpoint has not told its newest block for 10 hours.',
    );
  });

  it('is of unknown age when the clock was set back', () => {
    expect(lookTrouble(-16 * S, S)).toContain('was set back');
  });
});
