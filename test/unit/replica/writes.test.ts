import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { decodeWrites, encodeWrites } from '../../../src/replica/writes.ts';
import type { Write } from '../../../src/store/durability/capture.ts';

const row = (...params: unknown[]): Write => ({ sql: 'INSERT INTO a VALUES (?)', params });
const digits = (count: number) => randomBytes(count).toString('hex');

it('gives back what a transaction has written, whatever its rows hold', () => {
  const writes = [
    row(digits(5_000), 1, 2n ** 70n, null, 'text', digits(32)),
    row(digits(300).toUpperCase(), `${digits(400)}0`, `${digits(400)} `, new Uint8Array(600)),
    { sql: 'DELETE FROM b', params: [] },
    row(digits(256), digits(255), '', 'é'.repeat(600), 0.5),
  ];
  expect(decodeWrites(encodeWrites(writes))).toEqual(writes);
  expect(decodeWrites(encodeWrites([]))).toEqual([]);
});

it('takes no more room for a long row in hexadecimal digits than its bytes do', () => {
  const { length } = encodeWrites([row(digits(10_000)), row(digits(10_000))]);
  expect(length).toBeLessThan(20_150);
});

it('takes nothing that ends before its rows do', () => {
  const encoded = encodeWrites([row(digits(1_000))]);
  expect(() => decodeWrites(encoded.subarray(0, -1))).toThrow('without its end');
});
