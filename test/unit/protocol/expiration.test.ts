import { describe, expect, it } from 'vitest';
import {
  LEAST_REVEAL_TIMEOUT,
  LEAST_SETTLE_TIMEOUT,
  leastRevealTimeout,
  receiverRemovalBlock,
  senderRemovalBlock,
} from '../../../src/protocol/expiration.ts';

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
