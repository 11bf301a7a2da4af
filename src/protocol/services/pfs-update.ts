/** What a node tells path-finding services about its channels: its fields, and the bytes to sign. Protocol section 2.2. */
import { toRlp } from 'viem';
import { fromHex, type Hex } from '../../basics/hex.ts';
import { isTimestamp } from '../../basics/timestamp.ts';
import { isPenaltyCurve, type PenaltyCurve } from '../fees/fee-curve.ts';
import type { FeeSchedule } from '../fees/fees.ts';
import { personalHash } from '../hash.ts';
import {
  type Fields,
  fields,
  join,
  type Kind,
  named,
  object,
  type ValueOf,
  within,
} from '../messages/fields.ts';
import {
  address,
  channelId,
  flag,
  literal,
  tokenNetwork,
  uint64,
  uint256,
} from '../messages/kinds.ts';
import { pack } from '../wire/packing.ts';

const canonicalId = within(
  'canonical_identifier',
  fields({ chainId: named('chain_identifier', uint256), tokenNetwork, channelId }),
);

/** What each side of a channel can send, and the nonces at which that was so. */
const capacities = join(
  canonicalId,
  fields({
    updatingParticipant: address,
    otherParticipant: address,
    updatingNonce: uint64,
    otherNonce: uint64,
    updatingCapacity: uint256,
    otherCapacity: uint256,
    revealTimeout: uint256,
  }),
);
export type CapacityUpdate = ValueOf<typeof capacities>;
export const capacityUpdate = join(fields({ type: literal('PFSCapacityUpdate') }), capacities);

/** Most points of a penalty curve that is accepted; nodes make 21. */
export const MAX_PENALTY_POINTS = 100;

/** Absent and null mean that there is no penalty curve. */
const penaltyCurve: Kind<PenaltyCurve | null> = {
  read(value, note) {
    if (value == null) return null;
    if (!Array.isArray(value) || value.length > MAX_PENALTY_POINTS) return undefined;
    const curve: [bigint, bigint][] = [];
    for (const point of value) {
      if (!Array.isArray(point) || point.length !== 2) return undefined;
      const [balance, penalty] = [uint256.read(point[0], note), uint256.read(point[1], note)];
      if (balance === undefined || penalty === undefined) return undefined;
      curve.push([balance, penalty]);
    }
    return isPenaltyCurve(curve) ? curve : undefined;
  },
  write: (curve) => JSON.stringify(curve?.map((point) => point.map(String)) ?? null),
};
const schedule: Fields<FeeSchedule> = fields({
  capFees: flag,
  flat: uint256,
  proportional: uint256,
  imbalancePenalty: penaltyCurve,
});
const timestamp: Kind<string> = {
  read: (value) => (isTimestamp(value) ? value : undefined),
  write: JSON.stringify,
};

/** The fees of one channel; `timestamp` is UTC in ISO 8601 without a zone, as it is sent. */
const fees = join(
  canonicalId,
  fields({
    updatingParticipant: address,
    schedule: named('fee_schedule', object(schedule)),
    timestamp,
  }),
);
export type FeeUpdate = ValueOf<typeof fees>;
export const feeUpdate = join(fields({ type: literal('PFSFeeUpdate') }), fees);

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
