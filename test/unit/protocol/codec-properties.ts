/** What has to hold for every codec that reads what strangers wrote. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Batch, Decoded } from '../../../src/protocol/wire/lines.ts';

type Codec<T> = {
  /** Every message that there can be, signed. */
  any: fc.Arbitrary<T>;
  types: fc.Arbitrary<string>;
  encode(message: T): string;
  decode(line: string | Uint8Array): Decoded<T>;
  decodeBatch(bytes: Uint8Array): Batch<T>;
  digest(message: T): Uint8Array;
  numRuns: number;
};

/** Values that are nearly right somewhere, beside any JSON at all. */
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 257n }).map(String),
  fc.stringMatching(/^0x[0-9a-fA-F]{0,132}$/),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('0', '-0', '1e3', '0x', '', `0x${'00'.repeat(65)}`, `0x${'00'.repeat(32)}`),
  fc.constant({ amount: '1', expiration: '1', secrethash: `0x${'00'.repeat(32)}` }),
  fc.array(fc.array(fc.constantFrom('0', '1', '2', '-1'), { maxLength: 3 }), { maxLength: 3 }),
);

/** The fields of a line, without a type to hold on to. */
function fieldsOf(line: string): Record<string, unknown> {
  return JSON.parse(line);
}

/** `fields` without one of its fields, and with another value in it: one of an inner object too. */
function* spoilt(fields: Record<string, unknown>, pick: number, value: unknown) {
  const names = [...Object.keys(fields), 'unknown'];
  const name = names[pick % names.length] ?? 'unknown';
  const { [name]: taken, ...others } = fields;
  yield others;
  yield { ...others, [name]: value };
  if (typeof taken !== 'object' || taken === null || Array.isArray(taken)) return;
  const inner = Object.entries(taken);
  const at = inner[pick % inner.length]?.[0] ?? 'unknown';
  yield { ...others, [name]: { ...taken, [at]: value } };
}

/** Declares the tests; to be called inside of a `describe`. */
export function itReadsWhatStrangersWrite<T>(codec: Codec<T>): void {
  const { any, types, encode, decode, digest } = codec;
  const runs = { numRuns: codec.numRuns };
  const anyLine = any.map(encode);

  /** Decodes without throwing; and what it takes, it takes again after it was written. */
  function expectStable(line: string | Uint8Array): void {
    const first = decode(line);
    if (!first.ok) {
      expect(first.reason.length).toBeLessThan(200);
      return;
    }
    expect(decode(encode(first.value))).toEqual(first);
    expect(digest(first.value)).toHaveLength(32);
  }

  it('reads every message that the encoder writes', () => {
    fc.assert(
      fc.property(any, (value) => {
        expect(decode(encode(value))).toEqual({ ok: true, value });
      }),
      runs,
    );
  });

  it('never throws on bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), expectStable), runs);
  });

  it('never throws on text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), expectStable), runs);
  });

  it('never throws on JSON', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 20 }), expectStable), runs);
  });

  it('never throws when a field is missing, wrong, new or of another type of message', () => {
    fc.assert(
      fc.property(anyLine, fc.nat(), anyValue, fc.option(types), (line, pick, value, type) => {
        for (const changed of spoilt(fieldsOf(line), pick, value))
          expectStable(JSON.stringify(type === null ? changed : { ...changed, type }));
      }),
      runs,
    );
  });

  it('never throws when bytes of a message are changed, cut off or repeated', () => {
    fc.assert(
      fc.property(anyLine, fc.nat(), fc.nat({ max: 255 }), (line, pick, byte) => {
        const bytes = Buffer.from(line);
        const at = pick % bytes.length;
        expectStable(bytes.subarray(0, at));
        expectStable(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at >> 1)]));
        bytes[at] = byte;
        expectStable(bytes);
      }),
      runs,
    );
  });

  it('takes each good line of a batch, whatever stands between them', () => {
    const junk = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes));
    const part = fc.oneof(
      anyLine.map((line) => ({ good: true, bytes: Buffer.from(line) })),
      junk.map((bytes) => ({ good: false, bytes })),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const bytes = Buffer.concat(parts.flatMap((one) => [one.bytes, Buffer.from('\n')]));
        const good = parts.filter((one) => one.good).length;
        expect(codec.decodeBatch(bytes).messages).toHaveLength(good);
      }),
      { numRuns: 300 },
    );
  });
}
