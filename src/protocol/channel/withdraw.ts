/** Consent to take tokens out of an open channel. Two withdraws at once make a cooperative settle. */

import type { Address } from '../../basics/hex.ts';
import { personalHash } from '../hash.ts';
import { type Field, pack } from '../wire/packing.ts';
import type { CanonicalId } from './canonical-id.ts';

/**
 * What both sides sign: `participant` may take out tokens until it has `totalWithdraw` in all, before block
 * `expiration`.
 */
export type Withdraw = CanonicalId & {
  participant: Address;
  totalWithdraw: bigint;
  expiration: bigint;
};

/** The contract's MessageTypeId, for a cooperative settle as well. */
const WITHDRAW = 3n;

/** The fields that `packWithdraw` packs, in their order. */
function withdrawFields(withdraw: Withdraw): Field[] {
  return [
    ['address', withdraw.tokenNetwork],
    ['u256', withdraw.chainId],
    ['u256', WITHDRAW],
    ['u256', withdraw.channelId],
    ['address', withdraw.participant],
    ['u256', withdraw.totalWithdraw],
    ['u256', withdraw.expiration],
  ];
}

/** 200 bytes, signed by both sides of the channel. */
export function packWithdraw(withdraw: Withdraw): Uint8Array {
  return pack(withdrawFields(withdraw));
}

/** The digest that both sides of the channel sign. */
export function withdrawDigest(withdraw: Withdraw): Uint8Array {
  return personalHash(packWithdraw(withdraw));
}
