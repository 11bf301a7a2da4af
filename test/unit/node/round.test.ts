import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRound } from '../../../src/node/runtime/commits/round.ts';

/** Callers whose work takes so many of the 5 milliseconds of a slice. */
function callers(workMs: number) {
  let now = 0;
  const round = createRound({ now: () => now });
  const done: string[] = [];
  return {
    done,
    async call(name: string) {
      await round.inSlice();
      // What takes the time comes later, as in a call that waits for something which is there already.
      await Promise.resolve();
      now += workMs;
      done.push(name);
    },
    /** Uses up the slice of this round. */
    endSlice() {
      round.isOver();
      now += 5;
    },
  };
}

test('callers that waited go on one after the other, each with its promises, until the slice is over', async () => {
  const { call, done, endSlice } = callers(2);
  endSlice();
  for (let number = 1; number <= 7; number++) void call(`${number}`);
  expect(done).toEqual([]);
  await nextRound();
  expect(done).toEqual(['1', '2', '3']);
  await nextRound();
  expect(done).toEqual(['1', '2', '3', '4', '5', '6']);
});

test('who comes in the next round waits behind those who wait already', async () => {
  const { call, done, endSlice } = callers(5);
  endSlice();
  setImmediate(() => void call('comes when the next slice can begin'));
  void call('waits');
  for (let rounds = 0; rounds < 3; rounds++) await nextRound();
  expect(done).toEqual(['waits', 'comes when the next slice can begin']);
});

test('a caller that asks when the slice is always over waits behind those before it, and no others', async () => {
  const { call, done, endSlice } = callers(5);
  // It asks in a part of the loop that comes before the slice of the last round ends.
  setImmediate(() => void call('in the middle'));
  endSlice();
  void call('before');
  void call('before');
  for (let rounds = 0; rounds < 6; rounds++) {
    await nextRound();
    void call('after');
  }
  expect(done.slice(0, 4)).toEqual(['before', 'before', 'in the middle', 'after']);
});

test('who comes while those who waited go on waits behind them', async () => {
  const { call, done, endSlice } = callers(2);
  endSlice();
  void call('1').then(() => call('comes again'));
  void call('2');
  void call('3');
  await nextRound();
  await nextRound();
  expect(done).toEqual(['1', '2', '3', 'comes again']);
});
