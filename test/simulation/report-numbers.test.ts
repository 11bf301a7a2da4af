import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText, markup } from '../../src/simulation/report/page/markup.ts';
import { createScale, roundTicks, roundTop } from '../../src/simulation/report/page/scale.ts';
import {
  blockSpan,
  compact,
  cut,
  duration,
  percent,
  plain,
} from '../../src/simulation/report/results/numbers.ts';
import {
  cumulative,
  mean,
  meanInterval,
  quantile,
  studentQuantile,
} from '../../src/simulation/report/results/statistics.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

const size = fc.double({ min: -1e9, max: 1e9, noNaN: true });
const histogram = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -50, max: 500 }), fc.nat(1000)), {
    selector: ([value]) => value,
    minLength: 1,
  })
  .map((bins) => bins.toSorted(([a], [b]) => a - b).map(([value, count]) => ({ value, count })));

it('a fraction is cut after four digits, and everything else stays as it is', () => {
  expect(cut('0.899999999')).toBe('0.8999…');
  for (const text of ['1', '0.5', '12.3456', '2.6082 TOK']) expect(cut(text)).toBe(text);
});

describe('a scale', () => {
  it('keeps the order of values and stays between its ends', () => {
    fc.assert(
      fc.property(size, size, size, size, (from, to, a, b) => {
        const scale = createScale({ from, to }, { start: 20, end: 400 });
        const [low, high] = [scale.at(Math.min(a, b)), scale.at(Math.max(a, b))];
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(20);
        expect(high).toBeLessThanOrEqual(400.000001);
      }),
    );
  });

  it('marks round values, in order and between the ends, neither none nor many', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1e9, noNaN: true }), (to) => {
        const ticks = roundTicks(0, to, 5);
        expect(ticks.length).toBeGreaterThan(1);
        expect(ticks.length).toBeLessThan(12);
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)).toBeLessThanOrEqual(to * 1.000001);
        expect(ticks.toSorted((a, b) => a - b)).toEqual(ticks);
      }),
    );
    expect(roundTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(roundTicks(0, 1200, 10)).toEqual([0, 200, 400, 600, 800, 1000, 1200]);
  });

  it('ends its axis at a mark that no value exceeds', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1e9, noNaN: true }), (value) => {
        const top = roundTop(value);
        expect(top).toBeGreaterThanOrEqual(value * 0.999999);
        expect(top).toBeLessThanOrEqual(value * 1.5);
      }),
    );
    expect(roundTop(0)).toBe(1);
  });
});

describe('a quantile', () => {
  it('is the value that so many do not exceed', () => {
    const seen = [
      { value: 1, count: 50 },
      { value: 2, count: 0 },
      { value: 3, count: 49 },
      { value: 9, count: 1 },
    ];
    expect([0, 0.5, 0.51, 0.99, 1].map((share) => quantile(seen, share))).toEqual([1, 1, 3, 3, 9]);
    expect(quantile([], 0.5)).toBeNull();
    expect(quantile([{ value: 4, count: 0 }], 0.5)).toBeNull();
  });

  it('agrees with the cumulated shares, which rise to one', () => {
    fc.assert(
      fc.property(histogram, fc.double({ min: 0, max: 1, noNaN: true }), (bins, share) => {
        const curve = cumulative(bins);
        const found = quantile(bins, share);
        if (found === null) return expect(curve).toEqual([]);
        expect(curve.at(-1)?.y).toBeCloseTo(1);
        expect(curve.find(({ x }) => x === found)?.y).toBeGreaterThanOrEqual(share - 1e-9);
      }),
    );
  });
});

describe('the interval of a mean', () => {
  it.each([
    [1, 12.706205],
    [2, 4.302653],
    [3, 3.182446],
    [4, 2.776445],
    [9, 2.262157],
    [10, 2.228139],
    [30, 2.042272],
    [100, 1.983972],
    [1000, 1.962339],
  ])('is as wide as Student says with few values: %i degrees of freedom', (freedom, wanted) => {
    expect(studentQuantile(0.975, freedom)).toBeCloseTo(wanted, 5);
    expect(studentQuantile(0.025, freedom)).toBeCloseTo(-wanted, 5);
  });

  it('holds a true mean 95 times in 100, also with two values', () => {
    const draw = createRandomness(5).of('test');
    const normal = () =>
      Math.sqrt(-2 * Math.log(1 - draw.fraction())) * Math.cos(2 * Math.PI * draw.fraction());
    for (const count of [2, 5]) {
      const held = Array.from({ length: 2_000 }, () => {
        const found = meanInterval(Array.from({ length: count }, normal));
        return found !== null && found.low <= 0 && found.high >= 0 ? 1 : 0;
      });
      expect(mean(held)).toBeGreaterThan(0.935);
      expect(mean(held)).toBeLessThan(0.965);
    }
  });

  it('says nothing sure of two differences around 43', () => {
    const found = meanInterval([40, 46]);
    expect(found?.mean).toBe(43);
    expect(found?.low).toBeCloseTo(4.88, 2);
    expect(meanInterval([30, 56])?.low).toBeLessThan(0);
  });

  it('is not told of a single value', () => {
    expect(meanInterval([4])).toBeNull();
  });

  it('becomes narrower with more values', () => {
    const draw = createRandomness(5).of('test');
    const width = (count: number) => {
      const found = meanInterval(Array.from({ length: count }, () => draw.fraction()));
      return found === null ? Number.NaN : found.high - found.low;
    };
    expect(width(1000)).toBeLessThan(width(20) / 2);
  });
});

describe('text in markup', () => {
  const awkward = fc.constantFrom('<', '>', '&', '"', "'", 'a', ';', '\u0001', '\ud800', '\udc00');
  it('never becomes markup, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: awkward }), (text) => {
        const escaped = escapeText(text);
        expect(escaped).not.toMatch(/[<>"']/);
        expect(escaped.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }),
    );
    expect(escapeText('\u0000\ud800a')).toBe('\ufffd\ufffda');
    expect(escapeText('😀')).toBe('😀');
  });

  it('is escaped once, and markup in it not at all', () => {
    const inner = markup`<b>${'<&>'}</b>`;
    const whole = markup`<p>${[inner, 'x'.repeat(2), 7]}${null}</p>`.markup;
    expect(whole).toBe('<p><b>&lt;&amp;&gt;</b>xx7</p>');
  });
});

describe('numbers for people', () => {
  it('are grouped, and short where they are long', () => {
    expect([1234.56, -0.04, 1e15, 0].map((value) => plain(value))).toEqual([
      '1,234.6',
      '−0.04',
      '1,000,000,000,000,000',
      '0',
    ]);
    expect([0.25, 12, 1500, 30e6, 2e9].map(compact)).toEqual(['0.25', '12', '1.5k', '30M', '2G']);
    expect([0, 1500, 61_000, 60_000, 7_260_000].map(duration)).toEqual([
      '0 ms',
      '1.5 s',
      '1 min 1 s',
      '1 min',
      '2 h 1 min',
    ]);
  });

  it('are never rounded from nearly all up to all', () => {
    expect(percent(0.99999)).toBe('99.9 %');
    expect(percent(1 - 1e-12)).toBe('99.9 %');
    expect(percent(1)).toBe('100 %');
    expect([59_960, 999.7].map(duration)).toEqual(['59.9 s', '999 ms']);
  });

  it('are never nothing where there is something', () => {
    expect([0.0004, 0, -0.0004].map(percent)).toEqual(['0.04 %', '0 %', '−0.04 %']);
    expect([2e-9, 0.00025, 999_960].map(compact)).toEqual(['2e-9', '0.00025', '1M']);
    expect([0, 1, 2].map(blockSpan)).toEqual(['under a block', '1 block', '2 blocks']);
    expect(cut('0.00001234567')).toBe('0.00001234…');
  });
});
