/**
 * What an Update does to the side of its sender: changes, in the order in which they are made. What each of them packs
 * is what the reference protocol packs of a message of its own; its command byte says what follows, so that no two lists
 * of changes have the same bytes.
 */
import * as v from 'valibot';
import type { Hash } from '../../basics/hex.ts';
import { lockShape } from '../channel/lock.ts';
import { secrethashOf } from '../hash.ts';
import { hex, text, uint } from '../shapes.ts';
import { isRecord } from '../wire/json-text.ts';
import { metadataHash } from '../wire/metadata.ts';
import type { Field } from '../wire/packing.ts';
import type { Wire } from './definition.ts';
import * as read from './message-fields.ts';

/** Most changes of one Update: each costs its receiver work, and an Update is taken as a whole. */
export const MAX_CHANGES = 32;
/** Largest metadata of a transfer, in bytes of its canonical text. */
export const MAX_METADATA_BYTES = 16 * 1024;

/** `metadata` is canonical JSON text (keys sorted, no blanks): it is hashed and forwarded as it came. */
const transfer = {
  paymentId: uint,
  token: hex,
  recipient: hex,
  target: hex,
  initiator: hex,
  lock: lockShape,
  metadata: text,
};
/** A payment under a lock, passed on from hop to hop until it reaches the target. */
const lockChange = v.object({ type: v.literal('lock'), ...transfer });
/** Gives back a transfer that could not be passed on, under a lock with the same secrethash. */
const refundChange = v.object({ type: v.literal('refund'), ...transfer });
/** Turns a lock into a payment: the secret is known. */
const unlockChange = v.object({ type: v.literal('unlock'), paymentId: uint, secret: hex });
/** Takes back a lock that has expired. */
const expiredChange = v.object({ type: v.literal('expired'), secrethash: hex, recipient: hex });
export const changeShape = v.union([lockChange, refundChange, unlockChange, expiredChange]);

export type LockChange = v.InferOutput<typeof lockChange>;
export type RefundChange = v.InferOutput<typeof refundChange>;
export type UnlockChange = v.InferOutput<typeof unlockChange>;
export type ExpiredChange = v.InferOutput<typeof expiredChange>;
export type Change = v.InferOutput<typeof changeShape>;
export type ChangeType = Change['type'];

const COMMANDS = {
  unlock: 4,
  lock: 7,
  refund: 8,
  expired: 13,
} as const satisfies Record<ChangeType, number>;

function isChangeType(type: unknown): type is ChangeType {
  return typeof type === 'string' && Object.hasOwn(COMMANDS, type);
}
export const CHANGE_TYPES: readonly ChangeType[] = Object.keys(COMMANDS).filter(isChangeType);

/** The secrethash of the lock that the change is about. */
export function secrethashIn(change: Change): Hash {
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

/** The changes in the field, which a stranger wrote. The first that is wrong ends the reading. */
export function readChanges(reading: read.Reading, name: string): Change[] {
  const value = reading.fields[name];
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_CHANGES)
    return read.refuse(reading, name, []);
  const changes: Change[] = [];
  for (const [place, item] of value.entries()) {
    const inner: read.Reading = { fields: isRecord(item) ? item : {}, wrong: null };
    const change = readChange(inner);
    if (change === null || inner.wrong !== null)
      return read.refuse(reading, `${name}.${place}.${inner.wrong ?? 'type'}`, []);
    changes.push(change);
  }
  return changes;
}

function readChange(reading: read.Reading): Change | null {
  const type = reading.fields['type'];
  if (!isChangeType(type)) return null;
  switch (type) {
    case 'lock':
    case 'refund':
      return { type, ...readTransfer(reading) };
    case 'unlock': {
      const paymentId = read.uint64(reading, 'payment_identifier');
      return { type, paymentId, secret: read.bytes32(reading, 'secret') };
    }
    case 'expired': {
      const secrethash = read.bytes32(reading, 'secrethash');
      return { type, secrethash, recipient: read.address(reading, 'recipient') };
    }
  }
}

function readTransfer(reading: read.Reading) {
  return {
    paymentId: read.uint64(reading, 'payment_identifier'),
    token: read.address(reading, 'token'),
    recipient: read.address(reading, 'recipient'),
    target: read.address(reading, 'target'),
    initiator: read.address(reading, 'initiator'),
    lock: read.lock(reading, 'lock'),
    metadata: read.metadata(reading, 'metadata', MAX_METADATA_BYTES),
  };
}

/** The change as JSON. */
export function changeText(change: Change): string {
  const text = JSON.stringify({ type: change.type, ...fieldsOf(change) });
  if (!('metadata' in change)) return text;
  // The metadata is canonical already: parsing it again could only change the bytes that were hashed.
  return `${text.slice(0, -1)},"metadata":${change.metadata}}`;
}

function fieldsOf(change: Change): Wire {
  switch (change.type) {
    case 'lock':
    case 'refund':
      return {
        payment_identifier: String(change.paymentId),
        token: change.token,
        recipient: change.recipient,
        target: change.target,
        initiator: change.initiator,
        lock: {
          amount: String(change.lock.amount),
          expiration: String(change.lock.expiration),
          secrethash: change.lock.secrethash,
        },
      };
    case 'unlock':
      return { payment_identifier: String(change.paymentId), secret: change.secret };
    case 'expired':
      return { secrethash: change.secrethash, recipient: change.recipient };
  }
}

/** The change as it is packed under the additional hash. No padding follows the command byte. */
export function packedChange(change: Change): Field[] {
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
