/** What a node tells path-finding services about its channels, as bytes to sign. Protocol section 2.2. */
import { toRlp } from 'viem';
import { type Address, fromHex, type Hex } from '../../basics/hex.ts';
import type { CanonicalId } from '../channel/canonical-id.ts';
import type { FeeSchedule } from '../fees/fees.ts';
import { personalHash } from '../hash.ts';
import { pack } from '../wire/packing.ts';

/** What each side of a channel can send, and the nonces at which that was so. */
export type CapacityUpdate = CanonicalId & {
  updatingParticipant: Address;
  otherParticipant: Address;
  updatingNonce: bigint;
  otherNonce: bigint;
  updatingCapacity: bigint;
  otherCapacity: bigint;
  revealTimeout: bigint;
};

/** The fees of one channel; `timestamp` is UTC in ISO 8601 without a zone, as it is sent. */
export type FeeUpdate = CanonicalId & {
  updatingParticipant: Address;
  schedule: FeeSchedule;
  timestamp: string;
};

/** 236 bytes. */
export function packCapacityUpdate(update: CapacityUpdate): Uint8Array {
  return pack([
    ['u256', update.chainId],
    ['address', update.tokenNetwork],
    ['u256', update.channelId],
    ['address', update.updatingParticipant],
    ['address', update.otherParticipant],
    ['u64', update.updatingNonce],
    ['u64', update.otherNonce],
    ['u256', update.updatingCapacity],
    ['u256', update.otherCapacity],
    ['u256', update.revealTimeout],
  ]);
}

/** 169 bytes, the penalty points in RLP, the timestamp as text. */
export function packFeeUpdate(update: FeeUpdate): Uint8Array {
  const { schedule } = update;
  const fixed = pack([
    ['u256', update.chainId],
    ['address', update.tokenNetwork],
    ['u256', update.channelId],
    ['address', update.updatingParticipant],
    ['u8', schedule.capFees ? 1 : 0],
    ['u256', schedule.flat],
    ['u256', schedule.proportional],
  ]);
  const points = schedule.imbalancePenalty;
  const rlp =
    points === null ? toRlp('0x') : toRlp(points.map(([x, y]) => [integerHex(x), integerHex(y)]));
  return Buffer.concat([fixed, fromHex(rlp), Buffer.from(update.timestamp, 'utf8')]);
}

/** An integer as RLP takes it: big-endian without leading zero bytes, nothing for 0. */
function integerHex(value: bigint): Hex {
  if (value === 0n) return '0x';
  const digits = value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

/** The digest that the updating participant signs. */
export function capacityUpdateDigest(update: CapacityUpdate): Uint8Array {
  return personalHash(packCapacityUpdate(update));
}

/** The digest that the updating participant signs. */
export function feeUpdateDigest(update: FeeUpdate): Uint8Array {
  return personalHash(packFeeUpdate(update));
}
