/**
 * What a signed step did to the locks of its side, as the table `steps` has it: one change after the other. A lock that
 * was removed is only named, since the step that added it has the rest.
 *
 * | bytes | what |
 * |---|---|
 * | 1 | 1: a lock was added; 0: one was removed |
 * | 32 | the secrethash |
 * | 1 + n | of an added lock: how many bytes its expiration has, and these bytes |
 * | 1 + n | the same of its amount |
 */
import { customType } from 'drizzle-orm/sqlite-core';
import { type Hash, type Hex, toHex } from '../../basics/hex.ts';
import { type Blob, bytesOf } from './columns.ts';

/** `lock`: its 96 bytes. */
export type StepChange =
  | { kind: 'add'; lock: Hex; secrethash: Hash }
  | { kind: 'remove'; secrethash: Hash };

const ADDED = '01';
const REMOVED = '00';
/** Hexadecimal digits of each of a lock's three words: expiration, amount, secrethash. */
const WORD = 64;

function digitsOf(change: StepChange): string {
  const hash = change.secrethash.slice(2);
  if (change.kind === 'remove') return `${REMOVED}${hash}`;
  const words = change.lock.slice(2);
  return `${ADDED}${hash}${counted(words.slice(0, WORD))}${counted(words.slice(WORD, 2 * WORD))}`;
}

/** The number without the bytes of zero before it, and before it how many bytes are left. */
function counted(word: string): string {
  let zeros = 0;
  while (word.startsWith('00', zeros)) zeros += 2;
  const digits = word.slice(zeros);
  return `${(digits.length / 2).toString(16).padStart(2, '0')}${digits}`;
}

function changesIn(bytes: Uint8Array): StepChange[] {
  const changes: StepChange[] = [];
  let at = 0;
  const take = (count: number) => {
    const taken = bytes.subarray(at, at + count);
    if (taken.length < count) throw new Error('store: the changes of a step are cut off');
    at += count;
    return taken;
  };
  const word = () => {
    const [length = 0] = take(1);
    return toHex(take(length)).slice(2).padStart(WORD, '0');
  };
  while (at < bytes.length) {
    const [tag] = take(1);
    const secrethash = toHex(take(32));
    if (tag === 0) {
      changes.push({ kind: 'remove', secrethash });
      continue;
    }
    const [expiration, amount] = [word(), word()];
    const lock: Hex = `0x${expiration}${amount}${secrethash.slice(2)}`;
    changes.push({ kind: 'add', lock, secrethash });
  }
  return changes;
}

export const changesBlob = customType<{
  data: readonly StepChange[];
  driverData: Blob;
}>({
  dataType: () => 'blob',
  toDriver: (changes) => changes.map(digitsOf).join(''),
  fromDriver: (value) => changesIn(bytesOf(value)),
});
