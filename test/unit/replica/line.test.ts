/** Records on their way to a stream. */
import { expect, it } from 'vitest';
import { createLine, type Item, type LineEnd } from '../../../src/replica/line.ts';
import type { Appended, RecordStream } from '../../../src/replica/stream.ts';

const tag = '00'.repeat(16);
const item = (sequence: number): Item => {
  return { bytes: Uint8Array.of(sequence), point: { sequence, tag }, track: 'log' };
};

it('sends a record only when the stream has the one before it', async () => {
  const sent: number[] = [];
  const answers: ((appended: Appended) => void)[] = [];
  const ends: LineEnd[] = [];
  const stream: Pick<RecordStream, 'append' | 'bounds' | 'read'> = {
    append: (_bytes, sequence) => {
      sent.push(sequence);
      return new Promise((resolve) => void answers.push(resolve));
    },
    bounds: async () => ({ first: 1, last: 2 }),
    read: async (sequence) => Uint8Array.of(sequence + 100),
  };
  const line = createLine({
    stream,
    start: { sequence: 0, tag },
    clock: { now: () => 0, every: () => () => {} },
    onEnd: (end) => void ends.push(end),
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
  for (const sequence of [1, 2, 3]) line.add(item(sequence));
  expect(sent).toEqual([1]);
  answers[0]?.({ ok: true });
  await settled();
  expect(sent).toEqual([1, 2]);
  answers[1]?.({ ok: false, problem: 'taken' });
  await settled();
  expect(sent).toEqual([1, 2]);
  expect(ends).toEqual(['taken']);
});
