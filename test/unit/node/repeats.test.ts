import { describe, expect, it } from 'vitest';
import { createRepeats } from '../../../src/node/runtime/outbox/repeats.ts';

describe('the times of repeats', () => {
  it('look at no message whose time has not come', () => {
    const repeats = createRepeats<{ nextTime: number }>();
    let looked = 0;
    const at = (time: number) => ({
      get nextTime() {
        looked += 1;
        return time;
      },
    });
    for (let one = 0; one < 10_000; one++) repeats.note(at(1_000));
    const early = at(10);
    repeats.note(early);
    looked = 0;
    expect(repeats.due(5, 99)).toEqual([]);
    expect(looked).toBe(0);
    expect(repeats.due(10, 99)).toEqual([early]);
    expect(looked).toBeLessThan(10);
  });

  it('answer a message again until it has got another time or is forgotten', () => {
    const repeats = createRepeats<{ nextTime: number }>();
    const [one, two] = [{ nextTime: 5 }, { nextTime: 5 }];
    repeats.note(one);
    repeats.note(two);
    expect(repeats.due(5, 99)).toEqual([one, two]);
    expect(repeats.due(5, 99)).toEqual([one, two]);
    repeats.forget(two);
    one.nextTime = 9;
    repeats.note(one);
    expect(repeats.due(8, 99)).toEqual([]);
    expect(repeats.due(9, 99)).toEqual([one]);
  });

  it('keep no more than a few places for a message, however often it is sent before its time', () => {
    const repeats = createRepeats<{ nextTime: number }>();
    const one = { nextTime: 0 };
    for (let time = 1; time <= 10_000; time++) {
      one.nextTime = time;
      repeats.note(one);
    }
    expect(repeats.size()).toBeLessThan(100);
    expect(repeats.due(10_000, 99)).toEqual([one]);
  });

  it('lose no message when places are tidied up', () => {
    const repeats = createRepeats<{ nextTime: number }>();
    const others = [3, 1, 2].map((nextTime) => ({ nextTime }));
    for (const other of others) repeats.note(other);
    const one = { nextTime: 0 };
    for (let time = 10; time <= 200; time++) {
      one.nextTime = time;
      repeats.note(one);
    }
    expect(repeats.due(1, 99)).toEqual([{ nextTime: 1 }]);
    expect(repeats.due(2, 99)).toEqual([{ nextTime: 1 }, { nextTime: 2 }]);
    expect(repeats.due(200, 99)).toHaveLength(4);
  });

  it('answer no message that was forgotten before its time came', () => {
    const repeats = createRepeats<{ nextTime: number }>();
    const one = { nextTime: 5 };
    repeats.note(one);
    repeats.forget(one);
    expect(repeats.due(5, 99)).toEqual([]);
  });
});
