import { expect, it } from 'vitest';
import { gasReserve } from '../../../src/node/gas-reserve.ts';

const CLOSE = 130_000n;
const SETTLE = 180_000n;
const UNLOCK = 100_000n;
const WHOLE = CLOSE + SETTLE + UNLOCK;

it.each([
  ['one channel is assumed when there is none', [], WHOLE],
  ['an open one can be closed, settled and unlocked', ['opened.idle'], WHOLE],
  ['so can one that is being closed, or is stale', ['closing.sound', 'stale'], 2n * WHOLE],
  ['a closed one is settled and unlocked', ['opened.idle', 'closed'], WHOLE + SETTLE + UNLOCK],
  ['a settled one is unlocked', ['opened.idle', 'claiming'], WHOLE + UNLOCK],
  ['one that is gone costs nothing, and one is assumed', ['gone'], WHOLE],
  ['one is assumed when none can be closed', ['settling'], WHOLE + SETTLE + UNLOCK],
] as const)('of the money for gas, %s', (_, states, gas) => {
  expect(gasReserve(states, 7n)).toBe((gas * 7n * 11n) / 10n);
});
