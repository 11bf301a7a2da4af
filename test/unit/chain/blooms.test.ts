import { describe, expect, it } from 'vitest';
import { type Address, type Hash, toHex } from '../../../src/basics/hex.ts';
import {
  bloomOver,
  chanceOfError,
  eventsIn,
  hasItem,
  isWithin,
} from '../../../src/chain/watch/blooms.ts';

const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`;
const topic = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`;
const events = [
  { address: address(1), topic: topic(1) },
  { address: address(2), topic: topic(2) },
];

describe('the filter of a header', () => {
  it('holds the items that it was made of, and not others', () => {
    const texts = ['testtest', 'test', 'hallo', 'other'];
    const bloom = bloomOver(texts.map((text) => toHex(Buffer.from(text))));
    for (const text of texts) expect(hasItem(bloom, toHex(Buffer.from(text)))).toBe(true);
    for (const text of ['tes', 'lo']) expect(hasItem(bloom, toHex(Buffer.from(text)))).toBe(false);
  });

  it('matches an event only when it holds its contract and its topic', () => {
    expect(eventsIn(bloomOver([address(1), topic(1)]), events)).toEqual([events[0]]);
    expect(eventsIn(bloomOver([address(1), topic(2)]), events)).toEqual([]);
    expect(eventsIn(bloomOver([]), events)).toEqual([]);
  });

  it('is contained in a filter of more items, and not the other way round', () => {
    const part = bloomOver([address(1)]);
    const whole = bloomOver([address(1), topic(7)]);
    expect([isWithin(part, whole), isWithin(whole, part)]).toEqual([true, false]);
  });

  it('errs never in an empty block, seldom in a quiet one, and mostly in a busy one', () => {
    const over = (count: number) =>
      chanceOfError(bloomOver(Array.from({ length: count }, (_, n) => topic(1000 + n))), events);
    expect(over(0)).toBe(0);
    expect(over(50)).toBeLessThan(0.0001);
    expect(over(2_000)).toBeGreaterThan(0.5);
  });
});
