/**
 * Changes of the sender's side of a channel, and the balance proof that holds after the last of them. All of them count,
 * or none: the signature covers the numbers after them, and under its additional hash each change.
 */
import { pack } from '../wire/packing.ts';
import { CHANGES, MAX_CHANGES, packedChange } from './changes.ts';
import { envelope } from './common.ts';
import { fields, join, listOf, type ValueOf } from './fields.ts';
import { literal } from './kinds.ts';
import { later, packedLater } from './later.ts';

/** The fields before the signature, and those behind it. */
export const updateStart = fields({ type: literal('Update'), ...envelope });
export const updateEnd = join(fields({ changes: listOf(CHANGES, MAX_CHANGES) }), later);
export const update = join(updateStart, updateEnd);
export type Update = ValueOf<typeof update>;

/** The bytes under `additionalHash`: the fields that the contract does not know. No padding follows a command byte. */
export function packAdditional(update: Update): Uint8Array {
  const { messageId, changes } = update;
  return pack([
    ['u8', changes.length],
    ['u64', messageId],
    ...packedLater(update),
    ...changes.flatMap(packedChange),
  ]);
}
