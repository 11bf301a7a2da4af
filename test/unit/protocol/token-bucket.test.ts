import { describe, expect, it } from 'vitest';
import { createTokenBucket } from '../../../src/basics/token-bucket.ts';

/** A bucket of three, filled with two in a second, and a clock that the test moves. */
function bucket() {
  let time = 1_000;
  const made = createTokenBucket({ most: 3, perSecond: 2, now: () => time });
  const pass = (ms: number) => {
    time += ms;
  };
  /** How many it gives one by one. */
  const all = () => {
    let count = 0;
    while (count < 10 && made.take()) count++;
    return count;
  };
  return { ...made, pass, all };
}

describe('the work that is done for strangers', () => {
  it('is at most so much at once, and so much in each second after that', () => {
    const { all, pass } = bucket();
    expect(all()).toBe(3);
    pass(1_000);
    expect(all()).toBe(2);
    pass(499);
    expect(all()).toBe(0);
    pass(1);
    expect(all()).toBe(1);
  });

  it('is no more after a long silence', () => {
    const { all, pass } = bucket();
    pass(60_000);
    expect(all()).toBe(3);
    pass(60_000);
    expect(all()).toBe(3);
  });

  it('is over when less than one is left, and not before', () => {
    const { isEmpty, take, pass } = bucket();
    expect([take(2), isEmpty(), take(1), isEmpty()]).toEqual([true, false, true, true]);
    pass(499);
    expect(isEmpty()).toBe(true);
    pass(1);
    expect(isEmpty()).toBe(false);
  });

  it('is all of what is asked for, or none', () => {
    const { take, all } = bucket();
    expect(take(4)).toBe(false);
    expect(all()).toBe(3);
  });

  it('is not given twice by a clock that was put back', () => {
    const { all, pass } = bucket();
    expect(all()).toBe(3);
    pass(-10_000);
    expect(all()).toBe(0);
    pass(500);
    expect(all()).toBe(1);
  });
});
