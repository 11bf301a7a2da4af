import { describe, expect, it } from 'vitest';
import { BATCH_LIMIT, decodeLines, payloadsOf } from '../../../src/protocol/wire/lines.ts';

/** How many lines a receiver takes of a payload. */
function taken(payload: string): number {
  const read = (line: Uint8Array) => ({ ok: true as const, value: line.length });
  return decodeLines(Buffer.from(payload), BATCH_LIMIT, read).messages.length;
}

describe('lines in payloads', () => {
  it('stay in their order, and all of them arrive', () => {
    const lines = Array.from({ length: 2_500 }, (_, n) => `{"n":${n}}`);
    const payloads = [...payloadsOf(lines)];
    expect(payloads.join('\n').split('\n')).toEqual(lines);
    expect(payloads.map(taken)).toEqual([1_000, 1_000, 500]);
  });

  it('fill no payload with more than 256 KiB, but for one line that is longer', () => {
    const long = 'x'.repeat(100_000);
    expect([...payloadsOf([long, long, long])].map(({ length }) => length)).toEqual([
      200_001, 100_000,
    ]);
    expect([...payloadsOf(['y'.repeat(300_000), 'z'])]).toHaveLength(2);
  });

  it('of 256 KiB in all are one payload, and a character more is another', () => {
    const half = 'x'.repeat(128 * 1024);
    expect([...payloadsOf([half, half])]).toHaveLength(1);
    expect([...payloadsOf([half, `${half}x`])]).toHaveLength(2);
  });

  it('may be as many as the limit when the last one ends with a line break too', () => {
    const full = Buffer.from('x\n'.repeat(3));
    const limit = { ...BATCH_LIMIT, lines: 3 };
    const batch = decodeLines(full, limit, () => ({ ok: true, value: null }));
    expect(batch).toEqual({ messages: [null, null, null], refused: [] });
  });

  it('are no payload when there are none', () => {
    expect([...payloadsOf([])]).toEqual([]);
  });
});
