/**
 * Changes of a side of a channel: what each does to the locks. One of this node's own side counts at once, so that what may
 * be promised is always judged by what is true now; it is signed later, together with others, before anything of them is on
 * disk (locks.ts). What the partner gets, and what is kept as signed, are the same steps.
 */
import { type Hex, toHex } from '../../src/basics/hex.ts';
import { balanceHash, type PartnerProof } from '../../src/protocol/channel/balance-proof.ts';
import {
  assertSound,
  type ChannelEnd,
  proofAmounts,
  withLock,
  withoutLock,
  withUnlocked,
} from '../../src/protocol/channel/channel-end.ts';
import { encodeLock, type Lock } from '../../src/protocol/channel/lock.ts';
import type { Change } from '../../src/protocol/messages/changes.ts';
import { additionalHash } from '../../src/protocol/messages/message-hash.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import type { Effect, RecordProof, SignedChange } from '../effects.ts';
import type { ChannelContext, MadeChange } from './context.ts';

/** The side after the change. The change of a lock that is not there changes nothing: ask `findLock` first. */
export function changedEnd(
  end: ChannelEnd,
  { type }: Pick<Change, 'type'>,
  lock: Lock,
): ChannelEnd {
  switch (type) {
    case 'lock':
    case 'refund':
      return withLock(end, lock);
    case 'unlock':
      return withUnlocked(end, lock);
    case 'expired':
      return withoutLock(end, lock);
  }
}

const KINDS = { lock: 'add', refund: 'add', unlock: 'pay', expired: 'expire' } as const;

export function signedChange({ type }: Pick<Change, 'type'>, lock: Lock): SignedChange {
  return { kind: KINDS[type], lock: toHex(encodeLock(lock)), secrethash: lock.secrethash };
}

/** The channel after this change of its own side. Throws when the change would lend or lose money. */
export function withChange(channel: ChannelContext, made: MadeChange): ChannelContext {
  const { unsigned, partnerEnd } = channel;
  const ownEnd = changedEnd(channel.ownEnd, made.change, made.lock);
  assertSound(ownEnd, partnerEnd);
  const { before, changes } = unsigned ?? { before: channel.ownEnd, changes: [] };
  return { ...channel, ownEnd, unsigned: { before, changes: [...changes, made] } };
}

/** What asks for the signature: once, since it comes when all changes are there. */
export function signLater({ unsigned }: ChannelContext): Effect[] {
  return unsigned?.changes.length === 1 ? [{ type: 'sign' }] : [];
}

/** The parts of an accepted message that are needed to bring its balance proof on chain. */
export function partnerProofOf(message: Update, signature: Hex): PartnerProof {
  return {
    nonce: message.nonce,
    balanceHash: balanceHash(message),
    additionalHash: additionalHash(message),
    signature,
  };
}

/** The row that keeps one signed step of either side. */
export function proofRecord(
  channel: string,
  end: ChannelEnd,
  changes: readonly SignedChange[],
  proof: PartnerProof | null,
): RecordProof {
  const amounts = proofAmounts(end);
  return {
    type: 'record.proof',
    channel,
    side: proof === null ? 'own' : 'partner',
    ...amounts,
    balanceHash: proof?.balanceHash ?? balanceHash(amounts),
    changes,
    additionalHash: proof?.additionalHash ?? null,
    signature: proof?.signature ?? null,
  };
}
