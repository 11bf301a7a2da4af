import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createIntake } from '../../../src/node/messaging/intake.ts';

/** An intake for which each item costs this many milliseconds. */
function intakeOf(costMs: number) {
  const handedOn: number[] = [];
  let now = 0;
  const intake = createIntake<number>({
    now: () => now,
    handOn(item) {
      now += costMs;
      handedOn.push(item);
    },
  });
  return { handedOn, take: (...items: number[]) => intake.take(items) };
}

test('what is handled within 8 milliseconds is handed on at once', () => {
  const { take, handedOn } = intakeOf(1);
  take(1, 2, 3);
  take(4);
  expect(handedOn).toEqual([1, 2, 3, 4]);
});

test('what takes longer waits for the next rounds of the event loop, in order of arrival', async () => {
  const { take, handedOn } = intakeOf(4);
  take(1, 2, 3);
  take(4, 5);
  expect(handedOn).toEqual([1, 2]);
  await nextRound();
  expect(handedOn).toEqual([1, 2, 3, 4]);
  take(6);
  expect(handedOn).toEqual([1, 2, 3, 4]);
  await nextRound();
  expect(handedOn).toEqual([1, 2, 3, 4, 5, 6]);
});

test('when more than 512 wait, the oldest are handed on at once', () => {
  const { take, handedOn } = intakeOf(8);
  for (let item = 1; item <= 600; item++) take(item);
  expect(handedOn).toEqual(Array.from({ length: 600 - 512 }, (_, index) => index + 1));
});

test('what arrives while another is handed on comes after those that wait', async () => {
  const handedOn: string[] = [];
  const intake = createIntake<string>({
    now: () => 0,
    handOn(item) {
      if (item === 'first') intake.take(['answer']);
      handedOn.push(item);
    },
  });
  intake.take(['first', 'second']);
  expect(handedOn).toEqual(['first', 'second', 'answer']);
});

test.each([
  ['few wait', 2],
  ['so many wait that they are handed on at once', 600],
])('one that cannot be handed on does not keep those behind it, when %s', async (_, count) => {
  const handedOn: number[] = [];
  const intake = createIntake<number>({
    now: () => 0,
    handOn(item) {
      if (item === 0) throw new Error('a bug');
      handedOn.push(item);
    },
  });
  const items = Array.from({ length: count }, (_, index) => index);
  expect(() => intake.take(items)).toThrow('a bug');
  await nextRound();
  expect(handedOn).toEqual(items.slice(1));
});
