/** Records on their way to a stream that answers in any order. */
import { expect, it } from 'vitest';
import { createLine, type Item, type LineEnd } from '../../../src/replica/line.ts';
import type { Appended, RecordStream } from '../../../src/replica/stream.ts';

const tag = '00'.repeat(16);
const item = (sequence: number): Item => {
  return { bytes: Uint8Array.of(sequence), point: { sequence, tag }, track: 'log' };
};

it('goes on when answers overtake each other, and the stream is asked what it has', async () => {
  const answers: ((appended: Appended) => void)[] = [];
  const ends: LineEnd[] = [];
  const stream: Pick<RecordStream, 'append' | 'bounds' | 'read'> = {
    append: () => new Promise((resolve) => void answers.push(resolve)),
    bounds: async () => ({ first: 1, last: 2 }),
    read: async (sequence) => Uint8Array.of(sequence),
  };
  const line = createLine({
    stream,
    start: { sequence: 0, tag },
    clock: { now: () => 0, every: () => () => {} },
    onEnd: (end) => void ends.push(end),
  });
  for (const sequence of [1, 2, 3]) line.add(item(sequence));
  answers[1]?.({ ok: true });
  answers[0]?.({ ok: true });
  answers[2]?.({ ok: false, problem: 'away', message: 'no answer' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ends).toEqual([]);
  expect(line.acknowledged().sequence).toBe(2);
});
