import { expect, it } from 'vitest';
import { drawUint64 } from '../../../src/basics/environment.ts';

it('draws an identifier of 64 bits, which is never 0', () => {
  const drawn = (byte: number) =>
    drawUint64({ bytes: (count) => new Uint8Array(count).fill(byte) });
  expect(drawn(255)).toBe(2n ** 64n - 1n);
  expect(drawn(1)).toBe(0x0101_0101_0101_0101n);
  expect(drawn(0)).toBe(1n);
});
