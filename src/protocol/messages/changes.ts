/**
 * What an Update does to the side of its sender: changes, in the order in which they are made. What each of them packs
 * is what the reference protocol packs of a message of its own; its command byte says what follows, so that no two lists
 * of changes have the same bytes.
 */
import * as v from 'valibot';
import type { Hash, Secret } from '../../basics/hex.ts';
import { secrethashOf } from '../hash.ts';
import { metadataHash } from '../wire/metadata.ts';
import type { Field } from '../wire/packing.ts';
import { fields, join, type ValueOf, variants } from './fields.ts';
import { address, bytes32, canonical, literal, lock, paymentId, shapesOf } from './kinds.ts';
import { later, packedLater } from './later.ts';

/** Most changes of one Update: each costs its receiver work, and an Update is taken as a whole. */
export const MAX_CHANGES = 32;
/** Largest metadata of a transfer, in bytes of its canonical text. */
export const MAX_METADATA_BYTES = 16 * 1024;

/** `metadata` is passed on as it came. */
const transfer = {
  paymentId,
  token: address,
  recipient: address,
  target: address,
  initiator: address,
  lock,
  metadata: canonical(MAX_METADATA_BYTES),
};
/** A payment under a lock, passed on from hop to hop until it reaches the target. */
const lockKinds = { type: literal('lock'), ...transfer };
/** Gives back a transfer that could not be passed on, under a lock with the same secrethash. */
const refundKinds = { type: literal('refund'), ...transfer };
/** Turns a lock into a payment: the secret is known. */
const unlockKinds = { type: literal('unlock'), paymentId, secret: bytes32 };
/** Takes back a lock that has expired. */
const expiredKinds = { type: literal('expired'), secrethash: bytes32, recipient: address };

export const CHANGES = variants({
  unlock: join(fields(unlockKinds), later),
  lock: join(fields(lockKinds), later),
  refund: join(fields(refundKinds), later),
  expired: join(fields(expiredKinds), later),
});
export type Change = ValueOf<typeof CHANGES>;
export type ChangeType = Change['type'];
export type LockChange = Extract<Change, { type: 'lock' }>;
export type RefundChange = Extract<Change, { type: 'refund' }>;
export type UnlockChange = Extract<Change, { type: 'unlock' }>;
export type ExpiredChange = Extract<Change, { type: 'expired' }>;

const COMMANDS = { unlock: 4, lock: 7, refund: 8, expired: 13 } as const;

/** As it is kept until it is signed; no change of this node has a later field. */
export const changeShape = v.union([
  v.object(shapesOf(lockKinds)),
  v.object(shapesOf(refundKinds)),
  v.object(shapesOf(unlockKinds)),
  v.object(shapesOf(expiredKinds)),
]);

/** What of a change tells which lock it is about. */
type About =
  | { type: 'lock' | 'refund'; lock: { secrethash: Hash } }
  | { type: 'unlock'; secret: Secret }
  | { type: 'expired'; secrethash: Hash };

/** The secrethash of the lock that the change is about. */
export function secrethashIn(change: About): Hash {
  switch (change.type) {
    case 'lock':
    case 'refund':
      return change.lock.secrethash;
    case 'unlock':
      return secrethashOf(change.secret);
    case 'expired':
      return change.secrethash;
  }
}

/** The change as it is packed under the additional hash. No padding follows the command byte. */
export function packedChange(change: Change): Field[] {
  return [...packedFields(change), ...packedLater(change)];
}

function packedFields(change: Change): Field[] {
  const command = ['u8', COMMANDS[change.type]] as const;
  switch (change.type) {
    case 'lock':
    case 'refund':
      return [
        command,
        ['u64', change.paymentId],
        ['u256', change.lock.expiration],
        ['address', change.token],
        ['address', change.recipient],
        ['address', change.target],
        ['address', change.initiator],
        ['bytes32', change.lock.secrethash],
        ['u256', change.lock.amount],
        ['bytes32', metadataHash(change.metadata)],
      ];
    case 'unlock':
      return [command, ['u64', change.paymentId], ['bytes32', change.secret]];
    case 'expired':
      return [command, ['address', change.recipient], ['bytes32', change.secrethash]];
  }
}
