import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBatch, decodeMessage, encodeMessage } from '../../../src/protocol/message-codec.ts';
import { signingDigest } from '../../../src/protocol/message-hash.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { anyMessage, anySignature } from './arbitraries.ts';

const RUNS = { numRuns: 2_000 };

const anyLine = fc
  .tuple(anyMessage, anySignature)
  .map(([message, signature]) => encodeMessage(message, signature));

/** Decodes without throwing; and what it takes, it takes again after it was written. */
function expectStable(line: string | Uint8Array): void {
  const first = decodeMessage(line);
  if (!first.ok) {
    expect(first.reason.length).toBeLessThan(200);
    return;
  }
  const { message, signature } = first.value;
  expect(decodeMessage(encodeMessage(message, signature))).toEqual(first);
  expect(signingDigest(message)).toHaveLength(32);
}

/** The fields of a line, without a type to hold on to. */
function fieldsOf(line: string): Record<string, unknown> {
  return JSON.parse(line);
}

/** Values that are nearly right somewhere, beside any JSON at all. */
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 257n }).map(String),
  fc.stringMatching(/^0x[0-9a-fA-F]{0,132}$/),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('0', '-0', '1e3', '0x', '', `0x${'00'.repeat(65)}`, `0x${'00'.repeat(32)}`),
  fc.constant({ amount: '1', expiration: '1', secrethash: `0x${'00'.repeat(32)}` }),
);

describe('the decoder', () => {
  it('reads every message that the encoder writes', () => {
    fc.assert(
      fc.property(anyMessage, anySignature, (message: Message, signature) => {
        const line = encodeMessage(message, signature);
        expect(decodeMessage(line)).toEqual({ ok: true, value: { message, signature } });
      }),
      RUNS,
    );
  });

  it('never throws on bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), expectStable), RUNS);
  });

  it('never throws on text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), expectStable), RUNS);
  });

  it('never throws on JSON', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 20 }), expectStable), RUNS);
  });

  it('never throws when a field is missing, wrong, new or of another type of message', () => {
    const types = fc.option(anyMessage.map(({ type }) => type));
    fc.assert(
      fc.property(anyLine, fc.nat(), anyValue, types, (line, pick, value, type) => {
        const fields = fieldsOf(line);
        const names = [...Object.keys(fields), 'unknown'];
        const name = names[pick % names.length] ?? 'unknown';
        const { [name]: _, ...others } = fields;
        expectStable(JSON.stringify(others));
        const changed = { ...others, [name]: value };
        expectStable(JSON.stringify(type === null ? changed : { ...changed, type }));
      }),
      RUNS,
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
      RUNS,
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
        expect(decodeBatch(bytes).messages).toHaveLength(good);
      }),
      { numRuns: 300 },
    );
  });
});
