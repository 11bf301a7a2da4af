import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRound } from '../../../src/node/runtime/commits/round.ts';

test('callers that waited go on one after the other, each with its promises, until the slice is over', async () => {
  let now = 0;
  const round = createRound({ now: () => now });
  const done: number[] = [];
  async function call(number: number) {
    await round.inSlice();
    // What takes the time comes later, as in a call that waits for something which is there already.
    await Promise.resolve();
    now += 2;
    done.push(number);
  }
  round.isOver();
  now = 5;
  for (let number = 1; number <= 7; number++) void call(number);
  expect(done).toEqual([]);
  await nextRound();
  expect(done).toEqual([1, 2, 3]);
  await nextRound();
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
});

test('who comes in the next round waits behind those who wait already', async () => {
  let now = 0;
  const round = createRound({ now: () => now });
  const done: string[] = [];
  async function call(name: string) {
    await round.inSlice();
    now += 5;
    done.push(name);
  }
  round.isOver();
  now = 5;
  setImmediate(() => void call('comes when the next slice can begin'));
  void call('waits');
  for (let rounds = 0; rounds < 3; rounds++) await nextRound();
  expect(done).toEqual(['waits', 'comes when the next slice can begin']);
});

test('a caller that asks when the slice is always over waits behind those before it, and no others', async () => {
  let now = 0;
  const round = createRound({ now: () => now });
  const done: string[] = [];
  async function call(name: string) {
    await round.inSlice();
    now += 5;
    done.push(name);
  }
  // It asks in a part of the loop that comes before the slice of the last round ends.
  setImmediate(() => void call('in the middle'));
  round.isOver();
  now = 5;
  void call('before');
  void call('before');
  for (let rounds = 0; rounds < 6; rounds++) {
    await nextRound();
    void call('after');
  }
  expect(done.slice(0, 4)).toEqual(['before', 'before', 'in the middle', 'after']);
});
