import { describe, expect, it } from 'vitest';
import { liveThrough } from './lives.ts';
import { EXPECTED } from './plans.ts';

describe('two ends of a channel over a bad wire', () => {
  it('lose nothing, make nothing and agree in the end', { timeout: 3_600_000 }, () => {
    const tally = liveThrough(2, 400);
    // A model that never meets a fault says nothing about it.
    expect(tally.missing(EXPECTED)).toEqual([]);
  });
});
