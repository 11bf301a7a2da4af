import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { createWaitingRoom, type Statement } from '../../../src/routing/waiting-room.ts';
import { ALICE, BOB, TOKEN } from '../../support/store.ts';

const statement = (channelId: bigint, updatingNonce = 0n, own: Address = ALICE): Statement => ({
  type: 'PFSCapacityUpdate',
  chainId: 1n,
  tokenNetwork: TOKEN,
  channelId,
  updatingParticipant: own,
  otherParticipant: BOB,
  updatingNonce,
  otherNonce: 0n,
  updatingCapacity: 1n,
  otherCapacity: 1n,
  revealTimeout: 50n,
});
const feesOf = (channelId: bigint): Statement => ({
  type: 'PFSFeeUpdate',
  chainId: 1n,
  tokenNetwork: TOKEN,
  channelId,
  updatingParticipant: ALICE,
  timestamp: '2026-01-01T00:00:00.000000',
  schedule: { flat: 1n, proportional: 0n, imbalancePenalty: null, capFees: true },
});
const placeOf = (channelId: bigint, updatingParticipant: Address = ALICE) =>
  ({ tokenNetwork: TOKEN, channelId, updatingParticipant }) as const;

describe('statements about channels that are not confirmed', () => {
  it('wait for their channel, the newest of each kind, and leave once', () => {
    const room = createWaitingRoom();
    const fees = feesOf(1n);
    for (const each of [statement(1n, 1n), fees, statement(1n, 2n), statement(2n)]) room.add(each);
    expect(room.take(placeOf(1n))).toEqual([statement(1n, 2n), fees]);
    expect(room.take(placeOf(1n))).toEqual([]);
    expect(room.size()).toBe(1);
  });

  it('push out those of nobody else, however many there are', () => {
    const room = createWaitingRoom(100, 3);
    room.add(statement(1n));
    for (let channelId = 1n; channelId < 1_000n; channelId++)
      room.add(statement(channelId, 0n, BOB));
    expect(room.size()).toBe(4);
    expect(room.take(placeOf(1n))).toHaveLength(1);
    expect(room.take(placeOf(996n, BOB))).toEqual([]);
    expect(room.take(placeOf(997n, BOB))).toHaveLength(1);
  });

  it('take no more places than there are: who was silent the longest loses one', () => {
    const room = createWaitingRoom(2);
    room.add(statement(1n));
    for (const channelId of [2n, 3n]) room.add(statement(channelId, 0n, BOB));
    expect(room.size()).toBe(2);
    expect(room.take(placeOf(1n))).toEqual([]);
    expect(room.take(placeOf(3n, BOB))).toHaveLength(1);
  });
});
