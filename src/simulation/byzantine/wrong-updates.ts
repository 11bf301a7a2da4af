/**
 * Updates that are wrong as a whole: each has the form of an Update, the numbers that follow from its changes, and a
 * signature. A partner that took a part of one would hold another side than its sender.
 */
import type { Secret } from '../../basics/hex.ts';
import type { Lock } from '../../protocol/channel/lock.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import { type Change, type LockChange, MAX_CHANGES } from '../../protocol/messages/changes.ts';
import type { SentMessage } from '../../protocol/messages/table.ts';
import type { Update } from '../../protocol/messages/update.ts';
import type { SignedEnd } from './signed-end.ts';

/**
 * `order`: an unlock before its lock; `mixed`: an unlock of nothing among good locks; `twice`: a lock and its end;
 * `many`: one change too many; `elsewhere`: the end of a lock of another channel; `jump`: nonces are left out; `other`: the
 * signature is over other changes.
 */
export type WrongUpdate = 'order' | 'mixed' | 'twice' | 'many' | 'elsewhere' | 'jump' | 'other';

type Facts = {
  /** A lock that was sent before, as the others are made. */
  change: LockChange;
  /** A lock of another channel; null: none is known. */
  foreign: Lock | null;
  freshSecret(): Secret;
};

export function wrongChanges(what: WrongUpdate, facts: Facts): Change[] {
  const { change, freshSecret } = facts;
  const { paymentId, recipient } = change;
  const lockBy = (secret: Secret): Change => {
    return { ...change, lock: { ...change.lock, amount: 1n, secrethash: secrethashOf(secret) } };
  };
  const unlockBy = (secret: Secret): Change => ({ type: 'unlock', paymentId, secret });
  const secret = freshSecret();
  switch (what) {
    case 'order':
      return [unlockBy(secret), lockBy(secret)];
    case 'mixed':
      return [
        lockBy(freshSecret()),
        lockBy(freshSecret()),
        unlockBy(secret),
        lockBy(freshSecret()),
      ];
    case 'twice':
      return [lockBy(secret), unlockBy(secret)];
    case 'many':
      return Array.from({ length: MAX_CHANGES + 1 }, () => lockBy(freshSecret()));
    case 'elsewhere': {
      const secrethash = facts.foreign?.secrethash ?? secrethashOf(secret);
      return [lockBy(freshSecret()), { type: 'expired', recipient, secrethash }];
    }
    case 'jump':
    case 'other':
      return [lockBy(secret)];
  }
}

/** Nonces that are left out: a partner that counts them would wait for ever. */
const LEFT_OUT = 1_000n;

/** The Update as it is said. */
export function wrongLine(what: WrongUpdate, message: Update, end: SignedEnd): SentMessage {
  const line = end.next(message, what === 'jump' ? LEFT_OUT : 0n);
  if (what !== 'other' || line.signature === null || line.message.type !== 'Update') return line;
  const changes = line.message.changes.map(
    (change): Change =>
      change.type === 'lock' ? { ...change, paymentId: change.paymentId ^ 1n } : change,
  );
  return { message: { ...line.message, changes }, signature: line.signature };
}
