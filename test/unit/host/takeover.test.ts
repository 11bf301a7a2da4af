/** A standby that takes over too late to protect a payment says so. */
import { expect, it } from 'vitest';
import { slowTakeover } from '../../../src/host/node-timeouts.ts';

const after = (seconds: number, revealTimeout: bigint, blockSeconds: number | null) =>
  slowTakeover(seconds * 1_000, { revealTimeout, blockSeconds });

it('a standby that takes over within half of the reveal timeout says nothing', () => {
  expect(after(30, 50n, 12)).toBeNull();
  expect(after(18, 12n, 3)).toBeNull();
});

it('a slower one says how many blocks that are, and what to do', () => {
  expect(after(60, 12n, 3)).toMatch(/after 60 s, which are 20 blocks here.*--takeover-after/);
  expect(after(19, 12n, 3)).toContain('7 blocks');
});

it('nobody knows that on a chain without blocks', () => {
  expect(after(60, 12n, null)).toBeNull();
});
