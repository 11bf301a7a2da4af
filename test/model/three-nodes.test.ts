import { describe, expect, it } from 'vitest';
import { liveThrough } from './lives.ts';
import { EXPECTED } from './plans.ts';

describe('three nodes of which one passes payments on over bad wires', () => {
  it('lose nothing, make nothing and agree in the end', { timeout: 3_600_000 }, () => {
    const tally = liveThrough(3, 300);
    // A model that never meets a fault says nothing about it.
    expect(tally.missing([...EXPECTED, 'record.mediated', 'cheat by 2'])).toEqual([]);
  });
});
