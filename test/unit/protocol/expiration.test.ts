import { describe, expect, it } from 'vitest';
import {
  dangerBlock,
  isEnoughTime,
  isLockTimeoutAllowed,
  isSafeToWait,
  LEAST_REVEAL_TIMEOUT,
  LEAST_SETTLE_TIMEOUT,
  leastRevealTimeout,
  lockExpiration,
  receiverRemovalBlock,
  senderRemovalBlock,
} from '../../../src/protocol/channel/expiration.ts';

describe('a lock that has run out', () => {
  it('is taken back by its sender after twice the confirmations', () => {
    expect(senderRemovalBlock(100n, 5n)).toBe(110n);
    expect(senderRemovalBlock(100n, 1n)).toBe(102n);
  });

  it('is given up by its receiver before its sender takes it back', () => {
    expect(receiverRemovalBlock(100n, 5n)).toBe(105n);
  });
});

describe('the shortest timeouts', () => {
  it('leave nine blocks beyond the confirmations, and no less than the floor', () => {
    expect(leastRevealTimeout(5n)).toBe(14n);
    expect(leastRevealTimeout(5n, 20n)).toBe(20n);
    expect(leastRevealTimeout(30n, 20n)).toBe(39n);
  });

  it('let a channel be settled no sooner than two reveal timeouts after its close', () => {
    expect(LEAST_SETTLE_TIMEOUT).toBe(2n * LEAST_REVEAL_TIMEOUT);
    expect(LEAST_SETTLE_TIMEOUT).toBe(40n);
  });
});

describe('a new lock', () => {
  it('ends one block before two reveal timeouts, or before the lock timeout, have passed', () => {
    expect(lockExpiration(100n, 10n, null)).toBe(119n);
    expect(lockExpiration(100n, 10n, 30n)).toBe(129n);
  });

  it('lasts longer than the reveal timeout, and at most until the channel can be settled', () => {
    const allowed = [10n, 11n, 40n, 41n].map((blocks) => isLockTimeoutAllowed(blocks, 10n, 40n));
    expect(allowed).toEqual([false, true, true, false]);
  });
});

describe('a payee who knows the secret', () => {
  it('waits for the unlock until a reveal timeout before the expiration', () => {
    expect(dangerBlock(119n, 10n)).toBe(109n);
    expect([108n, 109n, 110n].map((block) => isSafeToWait(119n, 10n, block))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the timeouts of a channel', () => {
  it.each([
    [true, 20n, 40n],
    [true, 21n, 42n],
    [false, 19n, 40n],
    [false, 20n, 39n],
    [false, 21n, 41n],
  ])('protect its locks: %s with a reveal timeout of %s and a settle timeout of %s', (...row) => {
    const [isEnough, revealTimeout, settleTimeout] = row;
    expect(isEnoughTime({ revealTimeout, settleTimeout }, 20n)).toBe(isEnough);
  });
});
