/** Promises to pay a path-finding service, which it redeems with the OneToN contract. */

import { type Address, fromHex, type Hash } from '../../basics/hex.ts';
import { keccakHex, personalHash } from '../hash.ts';
import { pack } from '../wire/packing.ts';

/** `amount` is the total owed in this session, in the service token's smallest unit; it only grows. */
export type Iou = {
  oneToN: Address;
  chainId: bigint;
  sender: Address;
  receiver: Address;
  amount: bigint;
  /** Last block in which it can be claimed. */
  claimableUntil: bigint;
};

/** The contract's MessageTypeId. */
const IOU = 5n;

/** 188 bytes, signed by the sender. */
export function packIou(iou: Iou): Uint8Array {
  return pack([
    ['address', iou.oneToN],
    ['u256', iou.chainId],
    ['u256', IOU],
    ['address', iou.sender],
    ['address', iou.receiver],
    ['u256', iou.amount],
    ['u256', iou.claimableUntil],
  ]);
}

/** The digest that the sender signs. */
export function iouDigest(iou: Iou): Uint8Array {
  return personalHash(packIou(iou));
}

/** The key of a session in OneToN's `settled_sessions`: each session is redeemed only once. */
export function iouSessionKey(iou: Pick<Iou, 'sender' | 'receiver' | 'claimableUntil'>): Hash {
  return keccakHex(
    pack([
      ['address', iou.receiver],
      ['address', iou.sender],
      ['u256', iou.claimableUntil],
    ]),
  );
}

/** The digest by which the sender of IOUs asks a service for its last one; `timestamp` as it is sent. */
export function iouQueryDigest(sender: Address, receiver: Address, timestamp: string): Uint8Array {
  return personalHash(
    Buffer.concat([fromHex(sender), fromHex(receiver), Buffer.from(timestamp, 'utf8')]),
  );
}
