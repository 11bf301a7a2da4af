import { expect, test } from 'vitest';
import type { Clock } from '../../../src/basics/environment.ts';
import { createLateness } from '../../../src/node/chain/lateness.ts';
import { createPressure } from '../../../src/node/chain/pressure.ts';

const silentLog = { info() {}, warn() {}, error() {} };

function latenessOf() {
  const state = { now: 0, warnings: 0 };
  const clock: Clock = { now: () => 0, elapsed: () => state.now, every: () => () => {} };
  const warn = () => {
    state.warnings += 1;
  };
  return { state, lateness: createLateness({ clock, log: { ...silentLog, warn } }) };
}

test('a deadline that was judged within two blocks was in time', () => {
  const { lateness, state } = latenessOf();
  lateness.note(100n, 102n);
  expect([lateness.recent(), state.warnings]).toEqual([0n, 0]);
});

test('the latest deadline of the last ten minutes is remembered, and logged when it is worse than before', () => {
  const { lateness, state } = latenessOf();
  for (const tip of [105n, 103n, 104n, 105n]) lateness.note(100n, tip);
  expect([lateness.recent(), state.warnings]).toEqual([5n, 1]);
  state.now = 600_001;
  expect(lateness.recent()).toBe(0n);
  lateness.note(200n, 203n);
  expect([lateness.recent(), state.warnings]).toEqual([3n, 2]);
});

function pressureOf() {
  const state = { now: 0, hasUnapplied: false, hasUnsent: false };
  const pressure = createPressure({
    hasUnapplied: () => state.hasUnapplied,
    hasUnsent: () => state.hasUnsent,
    elapsed: () => state.now,
  });
  return { state, isPressed: pressure.isPressed };
}

test.each(['hasUnapplied', 'hasUnsent'] as const)(
  'deadlines come before messages while it is so: %s',
  (what) => {
    const { state, isPressed } = pressureOf();
    expect(isPressed()).toBe(false);
    state[what] = true;
    expect(isPressed()).toBe(true);
    state[what] = false;
    expect(isPressed()).toBe(false);
  },
);

test('an endpoint that does not answer keeps messages back for a second in two', () => {
  const { state, isPressed } = pressureOf();
  state.hasUnapplied = true;
  const pressed = [0, 999, 1_000, 1_999, 2_000, 3_000].map((now) => {
    state.now = now;
    return isPressed();
  });
  expect(pressed).toEqual([true, true, false, false, true, false]);
});
