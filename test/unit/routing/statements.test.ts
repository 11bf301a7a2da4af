import { describe, expect, it } from 'vitest';
import type { CapacityUpdate, FeeUpdate } from '../../../src/protocol/services/pfs-update.ts';
import { capacityRefusal, feeRefusal, isOfChannel } from '../../../src/routing/statements.ts';
import { ALICE, BOB, REGISTRY, TOKEN } from '../../support/store.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const AT = {
  chainId: 1n,
  tokenNetwork: TOKEN,
  channelId: 1n,
  updatingParticipant: ALICE,
} as const;
const saying = (updatingNonce: bigint, otherNonce: bigint): CapacityUpdate => ({
  ...AT,
  otherParticipant: BOB,
  updatingNonce,
  otherNonce,
  updatingCapacity: 1n,
  otherCapacity: 1n,
  revealTimeout: 50n,
});
const charging = (timestamp: string): FeeUpdate => ({
  ...AT,
  schedule: { flat: 0n, proportional: 0n, imbalancePenalty: null, capFees: true },
  timestamp,
});
const heard = (updatingNonce: bigint, otherNonce: bigint) => ({
  nonces: { updatingNonce, otherNonce },
  feeTime: null,
});

describe('what a participant says of its capacity', () => {
  it.each<[bigint, bigint, 'stale' | null]>([
    [5n, 7n, null],
    [6n, 7n, null],
    [5n, 8n, null],
    [4n, 7n, 'stale'],
    [5n, 6n, 'stale'],
    [6n, 6n, 'stale'],
    [4n, 9n, 'stale'],
  ])('after nonces 5 and 7, with nonces %i and %i, is %s', (own, other, refusal) => {
    expect(capacityRefusal(saying(own, other), heard(5n, 7n))).toBe(refusal);
  });

  it('counts whatever its nonces when it is the first', () => {
    expect(capacityRefusal(saying(0n, 0n), { nonces: null, feeTime: null })).toBeNull();
  });

  it('has to name the two of the channel', () => {
    expect(isOfChannel(saying(1n, 1n), [BOB, ALICE])).toBe(true);
    expect(isOfChannel(saying(1n, 1n), [ALICE, REGISTRY])).toBe(false);
    expect(isOfChannel({ ...saying(1n, 1n), otherParticipant: ALICE }, [ALICE, BOB])).toBe(false);
    expect(isOfChannel(charging('2026-11-21T12:00:00'), [REGISTRY, BOB])).toBe(false);
  });
});

describe('what a participant says of its fees', () => {
  const noon = { nonces: null, feeTime: BigInt(NOW) * 1_000n };

  it.each<[string, string | null]>([
    ['2026-11-21T12:00:00.000001', null],
    ['2026-11-21T12:00:00', 'stale'],
    ['2026-11-21T11:59:59.999999', 'stale'],
    ['2026-11-21T13:00:00', null],
    ['2026-11-21T13:00:00.000001', 'from_the_future'],
  ])('after one of noon, at noon, with the time %s, is %s', (timestamp, refusal) => {
    expect(feeRefusal(charging(timestamp), noon, NOW)).toBe(refusal);
  });
});
