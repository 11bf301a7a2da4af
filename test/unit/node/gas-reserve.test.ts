import { describe, expect, it } from 'vitest';
import type { StateValue } from 'xstate';
import { channelTags } from '../../../machines/tags.ts';
import {
  gasReserve,
  HIGHEST_PRICE,
  LOWEST_PRICE,
} from '../../../src/node/chain/gas/gas-reserve.ts';

const CLOSE = 130_000n;
const UPDATE = 110_000n;
const SETTLE = 180_000n;
const UNLOCK = 100_000n;
const REGISTER = 60_000n;
const LOCK = 5_000n;
const ENDED = UPDATE + SETTLE + UNLOCK;
const WHOLE = CLOSE + ENDED;
const PRICE = 7n * 10n ** 9n;

const burden = (state: StateValue) => ({
  tags: channelTags(state),
  ownLocks: 0,
  partnerLocks: 0,
  registrations: 0,
  isClaimable: false,
});
const OPEN = burden('opened');

describe('of the money for gas', () => {
  it.each([
    ['one channel is assumed when there is none', [], WHOLE],
    ['an open one can be closed, updated, settled and unlocked', [OPEN], WHOLE],
    ['so can one that is being closed, or is stale', ['closing', 'stale'], 2n * WHOLE],
    ['a closed one is updated, settled and unlocked', [OPEN, 'closed'], WHOLE + ENDED],
    ['a settled one is unlocked', [OPEN, 'claiming'], WHOLE + UNLOCK],
    ['one that is gone costs nothing, and one is assumed', ['gone'], WHOLE],
    ['one is assumed when none can be closed', ['settling'], WHOLE + SETTLE + UNLOCK],
  ] as const)('%s', (_, channels, gas) => {
    const all = channels.map((one) => (typeof one === 'string' ? burden(one) : one));
    expect(gasReserve(all, PRICE)).toBe(3n * gas * PRICE);
  });

  it.each([
    ['each secret that may have to be registered', { registrations: 160 }, 160n * REGISTER],
    ['each own lock', { ownLocks: 160 }, 160n * LOCK],
    ['no lock of the partner that nobody would claim', { partnerLocks: 160 }, 0n],
    [
      'the unlock of each side, when both have locks to claim',
      { ownLocks: 2, partnerLocks: 3, isClaimable: true },
      UNLOCK + 5n * LOCK,
    ],
  ])('a channel needs more for %s', (_, parts, more) => {
    expect(gasReserve([{ ...OPEN, ...parts }], PRICE)).toBe(3n * (WHOLE + more) * PRICE);
  });

  it.each([
    ['nothing', 0n, LOWEST_PRICE],
    ['beyond all reason', 10n ** 30n, HIGHEST_PRICE],
  ])('a price is bounded when an endpoint says %s', (_, said, believed) => {
    expect(gasReserve([], said)).toBe(3n * WHOLE * believed);
  });
});
