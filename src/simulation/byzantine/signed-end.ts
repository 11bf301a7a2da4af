/**
 * A node's own side of a channel as it was really signed, when the attack has sent more messages than the node
 * knows of. Whatever is sent in between, the next message has the right nonce, amounts and locksroot, so that the
 * partner judges its contents and does not refuse it for its numbers.
 */

import { MAX_UINT256 } from '../../basics/amount.ts';
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Hash } from '../../basics/hex.ts';
import { type Lock, locksroot } from '../../protocol/channel/lock.ts';
import { type Change, secrethashIn } from '../../protocol/messages/changes.ts';
import type { Message, SentMessage } from '../../protocol/messages/table.ts';
import type { Update } from '../../protocol/messages/update.ts';

export type SignedEnd = ReturnType<typeof createSignedEnd>;

export function createSignedEnd(sign: (message: Message) => SentMessage) {
  let nonce = 0n;
  let transferred = 0n;
  let locks: readonly Lock[] = [];
  /**
   * What was signed in place of each message of the node, by type and identifier, so that repeated messages stay
   * the same. A withdraw request, its confirmation and the acknowledgement all have the same identifier.
   */
  const written = new Map<string, SentMessage>();

  function removed(secrethash: Hash): Lock | undefined {
    const lock = locks.find((pending) => pending.secrethash === secrethash);
    locks = locks.filter((pending) => pending !== lock);
    return lock;
  }

  function apply(change: Change) {
    if ('lock' in change) locks = [...locks, change.lock];
    else if (change.type === 'expired') removed(change.secrethash);
    else transferred += removed(secrethashIn(change))?.amount ?? 0n;
  }

  function next(message: Update, skipped = 0n): SentMessage {
    message.changes.forEach(apply);
    nonce += 1n + skipped;
    const locked = locks.reduce((sum, { amount }) => sum + amount, 0n);
    // An amount that overflows starts again at zero, as in a contract that does not check.
    const transferredAmount = transferred & MAX_UINT256;
    const numbers = { nonce, transferredAmount, lockedAmount: locked & MAX_UINT256 };
    return sign({ ...message, ...numbers, locksroot: locksroot(locks) });
  }

  return {
    /** The message, numbered as the next step of this side, or as one after so many that are left out. */
    next,
    /** As `next`, for a message of the node, which the node may send again. */
    rewritten({ message }: SentMessage): SentMessage {
      if (!('messageId' in message)) return sign(message);
      const key = `${message.type} ${message.messageId}`;
      return getOrMake(written, key, () =>
        message.type === 'Update' ? next(message) : withNonce(message),
      );
    },
    nonce: () => nonce,
    pending: () => locks,
    transferred: () => transferred,
  };

  function withNonce(message: Message): SentMessage {
    switch (message.type) {
      case 'WithdrawRequest':
      case 'WithdrawConfirmation':
      case 'WithdrawExpired':
        nonce += 1n;
        return sign({ ...message, nonce });
      case 'Sync':
        return sign({ ...message, signedNonce: nonce });
      default:
        return sign(message);
    }
  }
}
