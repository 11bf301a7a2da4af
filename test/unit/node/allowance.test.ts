import { expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { createAllowance } from '../../../src/node/messaging/allowance.ts';
import { createRefusalLog } from '../../../src/node/runtime/knowledge/refusal-log.ts';

const MIB = 1_048_576;
const addressOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`;
const partner = addressOf(1);
const stranger = addressOf(2);

function allowanceAt(clock: { now: number }) {
  return createAllowance({ isPartner: (address) => address === partner, now: () => clock.now });
}
/** How many of these are allowed, one after the other. */
function count(most: number, ask: (n: number) => string | null): number {
  let allowed = 0;
  for (let n = 0; n < most; n++) if (ask(n) === null) allowed += 1;
  return allowed;
}

it('strangers are read within limits, each and in all, and partners always', () => {
  const clock = { now: 0 };
  const allowance = allowanceAt(clock);
  expect(count(100, () => allowance.reading(stranger, MIB))).toBe(4);
  expect(count(100, (n) => allowance.reading(addressOf(10 + n), MIB))).toBe(4);
  expect(count(100, () => allowance.reading(partner, MIB))).toBe(100);
  clock.now += 1_000;
  expect(count(100, () => allowance.reading(stranger, MIB))).toBe(2);
});

it('a stranger who floods leaves other strangers their share', () => {
  const allowance = allowanceAt({ now: 0 });
  expect(count(1_000, () => allowance.reading(stranger, MIB / 2))).toBe(8);
  expect(allowance.reading(addressOf(3), MIB)).toBe(null);
});

it('signatures are looked at only for partners, and for each of them within limits', () => {
  const allowance = allowanceAt({ now: 0 });
  expect(allowance.checking(stranger)).toBe('signed by somebody without a channel');
  expect(count(50_000, () => allowance.checking(partner))).toBe(20_000);
});

it('Syncs are heard and said twenty at once and ten a second, for each channel separately', () => {
  const clock = { now: 0 };
  const allowance = allowanceAt(clock);
  const heard = (channel: string) => count(1_000, () => allowance.hearing(channel));
  const said = (channel: string) => count(1_000, () => (allowance.saying(channel) ? null : ''));
  for (const asked of [heard, said]) {
    expect([asked('one'), asked('one'), asked('other')]).toEqual([20, 0, 20]);
    clock.now += 500;
    expect(asked('one')).toBe(5);
  }
});

it('a reason is written once a minute, with how often it was met', () => {
  let now = 0;
  const lines: object[] = [];
  const refuse = createRefusalLog({ elapsed: () => now, write: (entry) => void lines.push(entry) });
  for (let n = 0; n < 1_000; n++) refuse('not JSON');
  refuse('a replay');
  now = 60_000;
  refuse('not JSON');
  refuse('not JSON');
  expect(lines).toEqual([
    { reason: 'not JSON', count: 1 },
    { reason: 'a replay', count: 1 },
    { reason: 'not JSON', count: 1_000 },
  ]);
});

it('reasons without end do not fill the memory or the log', () => {
  let lines = 0;
  const write = () => {
    lines += 1;
  };
  const refuse = createRefusalLog({ elapsed: () => 0, write });
  for (let n = 0; n < 10_000; n++) refuse(`reason ${n}`);
  expect(lines).toBe(200);
});
