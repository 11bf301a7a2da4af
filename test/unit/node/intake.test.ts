import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createIntake } from '../../../src/node/messaging/intake.ts';

const MIB = 1_048_576;

/** An intake for which each item costs this many milliseconds. */
function intakeOf(costMs: number) {
  const handedOn: (number | string)[] = [];
  const state = { now: 0, isPressed: false, isHeld: false };
  const intake = createIntake<number | string>({
    now: () => state.now,
    isPressed: () => state.isPressed,
    isHeld: () => state.isHeld,
    handOn(item) {
      if (item === 'bug') throw new Error('a bug');
      state.now += costMs;
      handedOn.push(item);
    },
  });
  return {
    state,
    handedOn,
    goOn: intake.goOn,
    take: (...items: (number | string)[]) => intake.take('ann', items.values(), 1),
    from: (name: string, ...items: (number | string)[]) => intake.take(name, items.values(), 1),
    bytes: (name: string, bytes: number) => intake.take(name, [1].values(), bytes),
  };
}

test('what is handled within 5 milliseconds is handed on at once', () => {
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

test('however much waits, no round takes longer', () => {
  const { take, handedOn } = intakeOf(8);
  for (let item = 1; item <= 10_000; item++) take(item);
  expect(handedOn).toEqual([1]);
});

test('while deadlines need the time, a round takes a millisecond', async () => {
  const { take, handedOn, state } = intakeOf(1);
  state.isPressed = true;
  take(1, 2, 3);
  expect(handedOn).toEqual([1]);
  await nextRound();
  expect(handedOn).toEqual([1, 2]);
});

test('what comes while all has to wait is handed on in order of arrival when it may go on', async () => {
  const { take, handedOn, state, goOn } = intakeOf(1);
  state.isHeld = true;
  take(1, 2);
  goOn();
  await nextRound();
  take(3);
  expect(handedOn).toEqual([]);
  state.isHeld = false;
  goOn();
  expect(handedOn).toEqual([1, 2, 3]);
});

test('senders take turns: one that sends much makes only its own messages wait', async () => {
  const { from, handedOn } = intakeOf(2);
  from('ann', 'a1', 'a2', 'a3', 'a4', 'a5');
  from('bob', 'b1', 'b2');
  await nextRound();
  expect(handedOn).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'a5']);
});

/** An intake in which nothing is handed on before the next round; `a64` is the work of 64 turns. */
function weighed() {
  const handedOn: string[] = [];
  let now = 0;
  const intake = createIntake<string>({
    now: () => now,
    isPressed: () => false,
    isHeld: () => false,
    turnsOf: (item) => Number(item.slice(1)),
    handOn(item) {
      if (item === 'x1') now += 8;
      else handedOn.push(item);
    },
  });
  intake.take('nobody', ['x1'].values(), 1);
  const take = (name: string, ...items: string[]) => intake.take(name, items.values(), 1);
  return { take, handedOn };
}

test('an item that is the work of several turns takes so many turns', async () => {
  const { take, handedOn } = weighed();
  take('ann', 'a3', 'a3', 'a1');
  take('bob', 'b1', 'b1', 'b1', 'b1', 'b1', 'b1', 'b1');
  await nextRound();
  expect(handedOn.join(' ')).toBe('a3 b1 b1 b1 a3 b1 b1 b1 a1 b1');
});

test('turns that are owed are not forgotten when nothing of the sender waits for a moment', async () => {
  const { take, handedOn } = weighed();
  take('ann', 'a4');
  take('bob', 'x1', 'b1', 'b1', 'b1', 'b1');
  await nextRound();
  take('ann', 'a4');
  await nextRound();
  expect(handedOn.join(' ')).toBe('a4 b1 b1 b1 b1 a4');
});

test('of one sender four megabytes wait; what it sends beyond that is not taken', async () => {
  const { from, bytes } = intakeOf(8);
  from('ann', 1, 2);
  expect(Array.from({ length: 5 }, () => bytes('ann', MIB))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(bytes('bob', MIB)).toBe(true);
  for (let round = 0; round < 5; round++) await nextRound();
  expect(bytes('ann', MIB)).toBe(true);
});

test('a payload counts a kilobyte besides, so that tiny ones are few thousands at most', () => {
  const { from } = intakeOf(8);
  from('ann', 1, 2);
  let taken = 0;
  while (from('ann', 1)) taken++;
  expect(taken).toBe(4_091);
});

test('of all senders 64 megabytes wait, and a payload of each besides', () => {
  const { from, bytes } = intakeOf(8);
  from('first', 1, 2);
  for (let sender = 0; sender < 64; sender++) expect(bytes(`sender ${sender}`, MIB - 1)).toBe(true);
  expect(bytes('sender 1', MIB)).toBe(false);
  expect(bytes('one more', MIB)).toBe(true);
});

test('what arrives while another is handed on comes after those that wait', () => {
  const handedOn: string[] = [];
  const intake = createIntake<string>({
    now: () => 0,
    isPressed: () => false,
    isHeld: () => false,
    handOn(item) {
      if (item === 'first') intake.take('ann', ['answer'].values(), 1);
      handedOn.push(item);
    },
  });
  intake.take('ann', ['first', 'second'].values(), 1);
  expect(handedOn).toEqual(['first', 'second', 'answer']);
});

test('one that cannot be handed on does not keep those behind it', async () => {
  const { take, handedOn } = intakeOf(1);
  expect(() => take('bug', 1, 2)).toThrow('a bug');
  await nextRound();
  expect(handedOn).toEqual([1, 2]);
});
