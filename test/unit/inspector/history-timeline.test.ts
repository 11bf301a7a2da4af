import { describe, expect, it } from 'vitest';
import { stepIndex } from '../../../src/inspector-page/views/history/places.ts';
import { createPastReader } from '../../../src/inspector-page/views/history/timeline.ts';
import { changed, missing, moved, spawned } from '../../support/step-makers.ts';

const setTo = (seq: number) => changed(seq, 'on', [{ op: 'replace', path: '/n', value: seq }]);
const counting = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, offset) => setTo(from + offset));
const base = (n: number) => ({ seq: n, state: 'on', context: { n } });

describe('the context after any step', () => {
  it('is the base with the patches up to there, in whatever order it is asked for', () => {
    const readAt = createPastReader();
    const steps = counting(1, 300);
    for (const at of [299, 0, 150, 149, 31, 32, 33, 298, 64, -1]) {
      expect(readAt(base(0), steps, at).context).toEqual({ n: at + 1 });
    }
  });

  it('goes on as newer steps are added, and begins anew when older ones are', () => {
    const readAt = createPastReader();
    const steps = counting(101, 200);
    expect(readAt(base(100), steps, 99).context).toEqual({ n: 200 });
    expect(readAt(base(100), [...steps, setTo(201)], 100).context).toEqual({ n: 201 });
    const older = [...counting(1, 100), ...steps];
    expect(readAt(base(0), older, 99).context).toEqual({ n: 100 });
    expect(readAt(base(0), older, 199).context).toEqual({ n: 200 });
  });

  it('begins anew with a spawn and is unknown after missing steps', () => {
    const readAt = createPastReader();
    const steps = [spawned(1, 'on', { n: 7 }), setTo(2), missing(3, 90), moved(91, 'on', 'off')];
    expect(readAt(null, steps, -1).isKnown).toBe(false);
    expect(readAt(null, steps, 0)).toEqual({ state: 'on', context: { n: 7 }, isKnown: true });
    expect(readAt(null, steps, 1).context).toEqual({ n: 2 });
    expect(readAt(null, steps, 2).isKnown).toBe(false);
    expect(readAt(null, steps, 3)).toMatchObject({ state: 'off', isKnown: false });
    expect(readAt(null, [...steps, spawned(92, 'on', { n: 9 })], 4).context).toEqual({ n: 9 });
  });

  it('looks at no more than a few steps for a move of the slider over 5,000', () => {
    const readAt = createPastReader();
    const begin = base(0);
    const steps = counting(1, 5_000);
    readAt(begin, steps, 4_999);
    let looks = 0;
    const watched = new Proxy(steps, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    for (let move = 0; move < 500; move += 1) readAt(begin, watched, (move * 2_741) % 5_000);
    expect(looks / 500).toBeLessThan(40);
  });
});

describe('the place of a step', () => {
  it('is that of its number, or of the newest before it', () => {
    const steps = [setTo(10), setTo(20), setTo(30)];
    expect([9, 10, 19, 20, 99].map((seq) => stepIndex(steps, seq))).toEqual([-1, 0, 0, 1, 2]);
  });
});
