import { describe, expect, it } from 'vitest';
import type { Hex } from '../../../src/basics/hex.ts';
import { toHex } from '../../../src/basics/hex.ts';
import { decodeLock, encodeLock, locksroot } from '../../../src/protocol/channel/lock.ts';
import { EXPIRATION, hashOf } from '../../support/makers.ts';

const LOCK = { amount: 5n, expiration: EXPIRATION, secrethash: hashOf(1) };
const PACKED = toHex(encodeLock(LOCK));

describe('a lock of 96 bytes', () => {
  it('is read as it was written', () => {
    expect(decodeLock(PACKED)).toEqual(LOCK);
  });

  it.each<[string, Hex]>([
    ['a byte more', `${PACKED}00`],
    ['a byte less', `0x${PACKED.slice(4)}`],
    ['text before its bytes', `0x ${PACKED}`],
    ['a second lock behind it', `${PACKED}${PACKED.slice(2)}`],
    ['a digit that is none', `0x${'g'.repeat(192)}`],
    ['nothing', '0x'],
  ])('is not read out of %s', (_, bytes) => {
    expect(() => decodeLock(bytes)).toThrow('not 96 bytes');
  });
});

describe('what is kept of locks', () => {
  it('is of the lock that is asked for, not of one like it', () => {
    const other = { ...LOCK, amount: 6n };
    expect(encodeLock(LOCK)).toBe(encodeLock(LOCK));
    expect(decodeLock(toHex(encodeLock(other)))).toEqual(other);
    expect(locksroot([LOCK])).not.toBe(locksroot([other]));
  });
});
