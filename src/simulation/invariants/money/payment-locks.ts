/**
 * The pending locks of honest nodes by payment: whoever passes a payment on is paid for it, and gives up no lock that
 * pays for what it pays.
 */

import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Hash } from '../../../basics/hex.ts';
import type { Lock } from '../../../protocol/channel/lock.ts';
import type { Facts } from '../oracle.ts';
import { Violation } from '../violation.ts';

export type Side = 'own' | 'partner';
/** Where a lock is: in one direction of one channel, as one of its nodes knows it. */
type Place = { who: string; side: Side; channel: string };
export type PaymentFacts = Pick<Facts, 'confirmations' | 'head' | 'secretBlock'> & {
  /** The node at the other end of a channel, if it is honest. */
  honestPartner(who: string, channel: string): string | null;
  /** Whether the node's owner lets it pay others for using it, so that it may pass on more than it gets. */
  paysForUse(who: string): boolean;
};

const INITIATOR = 'initiator:';
const TARGET = 'target:';

const lockKey = (who: string, side: Side, hash: Hash) => `${who} ${side} ${hash}`;

export function createPaymentLocks(facts: PaymentFacts) {
  /** The locks of a node with a secrethash by their channels; by node, side and secrethash. */
  const places = new Map<string, Map<string, Lock>>();
  /** Locks that a node has paid, or was paid, while the other lock of the same payment is still pending. */
  const paid = new Set<string>();
  /** The nodes that started a payment which has a lock, or soon will; by secrethash. */
  const initiators = new Map<string, Set<string>>();
  /** Payments to machines. */
  const targets = new Set<string>();

  /** Whether the lock belongs to a payment that the node started. */
  const isInitiator = (who: string, secrethash: Hash): boolean =>
    initiators.get(secrethash)?.has(who) === true;
  const locksAt = (who: string, side: Side, secrethash: Hash): Lock[] => [
    ...(places.get(lockKey(who, side, secrethash))?.values() ?? []),
  ];

  /** A mediator has a lock from its payer that is as large and expires no sooner. */
  function checkCover(who: string, { secrethash, amount, expiration }: Lock) {
    if (isInitiator(who, secrethash)) return;
    const least = facts.paysForUse(who) ? 1n : amount;
    const covers = locksAt(who, 'partner', secrethash).some(
      (lock) => lock.amount >= least && lock.expiration >= expiration,
    );
    if (covers) return;
    throw new Violation(7, who, `${who} passes ${secrethash} on without a lock that covers it`, {
      lost: amount,
    });
  }

  /** Remembers the payment for as long as the other lock of the same payment is pending. */
  function notePaid(who: string, side: Side, secrethash: Hash) {
    const other = lockKey(who, side === 'own' ? 'partner' : 'own', secrethash);
    if (!paid.delete(other) && places.has(other)) paid.add(lockKey(who, side, secrethash));
  }

  /** A node that gives up its payer's lock has not paid the payee, and the payee can no longer claim it. */
  function checkLost(who: string, { secrethash, amount }: Lock) {
    if (isInitiator(who, secrethash)) return;
    const own = lockKey(who, 'own', secrethash);
    const revealed = facts.secretBlock(secrethash);
    const isClaimed = locksAt(who, 'own', secrethash).some(
      (lock) => revealed !== null && revealed < lock.expiration,
    );
    if (!isClaimed && !paid.has(own)) return;
    throw new Violation(6, who, `${who} pays ${secrethash} and gives up what pays for it`, {
      lost: amount,
    });
  }

  /** A node that pays a payee has been paid by its payer, or has the lock that pays it. */
  function checkPaid(who: string, { secrethash, amount }: Lock) {
    if (isInitiator(who, secrethash)) return;
    const partner = lockKey(who, 'partner', secrethash);
    if (places.has(partner) || paid.has(partner)) return;
    throw new Violation(6, who, `${who} pays ${secrethash}, for which nobody pays it`, {
      lost: amount,
    });
  }

  function endStart(who: string, secrethash: Hash) {
    const starters = initiators.get(secrethash);
    if (starters?.delete(who) === true && starters.size === 0) initiators.delete(secrethash);
  }

  return {
    /** The node has an actor with this id. */
    begin(who: string, actor: string) {
      if (actor.startsWith(INITIATOR))
        getOrMake(initiators, actor.slice(INITIATOR.length), () => new Set<string>()).add(who);
      if (actor.startsWith(TARGET)) targets.add(`${who} ${actor.slice(TARGET.length)}`);
    },
    add({ who, side, channel }: Place, lock: Lock) {
      const key = lockKey(who, side, lock.secrethash);
      const locks = places.get(key) ?? new Map<string, Lock>();
      places.set(key, locks.set(channel, lock));
      if (side === 'own') checkCover(who, lock);
    },
    remove({ who, side, channel }: Place, lock: Lock, isPaid: boolean) {
      const { secrethash } = lock;
      if (side === 'own' && isPaid) checkPaid(who, lock);
      if (side === 'own') endStart(who, secrethash);
      const key = lockKey(who, side, secrethash);
      places.get(key)?.delete(channel);
      if (places.get(key)?.size === 0) places.delete(key);
      if (isPaid) return notePaid(who, side, secrethash);
      checkTakenBack(facts, { who, side, channel }, lock);
      if (side === 'partner') checkLost(who, lock);
    },
    /** The channel is gone, with its locks of these hashes. */
    forget({ who, side, channel }: Place, hashes: Iterable<Hash>) {
      for (const hash of hashes) places.get(lockKey(who, side, hash))?.delete(channel);
    },
    /** The expiration of the lock of a payment that the node started; null: it did not start it, or has no lock. */
    ownExpiration(who: string, secrethash: Hash): bigint | null {
      if (!isInitiator(who, secrethash)) return null;
      return locksAt(who, 'own', secrethash)[0]?.expiration ?? null;
    },
    /** Whether the node has a pending lock with this secrethash, its own or its partner's. */
    isHeld: (who: string, secrethash: Hash): boolean =>
      places.has(lockKey(who, 'own', secrethash)) ||
      places.has(lockKey(who, 'partner', secrethash)),
    isInitiator,
    /** Whether any node of those that are looked at started the payment. */
    isStarted: (secrethash: Hash): boolean => initiators.has(secrethash),
    /** Whether the node has a target for a payment that it started, and the transfer that pays it. */
    isReturned: (who: string, secrethash: Hash): boolean =>
      targets.has(`${who} ${secrethash}`) && places.has(lockKey(who, 'partner', secrethash)),
    /**
     * The lock that the node can claim with this secret; null: none. `isPassedOn`: the node has paid its payee for
     * it, or has a lock to, or is the target.
     */
    claimOf(who: string, secrethash: Hash) {
      const [found] = places.get(lockKey(who, 'partner', secrethash)) ?? [];
      if (found === undefined) return null;
      const [channel, lock] = found;
      const own = lockKey(who, 'own', secrethash);
      const isTarget = targets.has(`${who} ${secrethash}`);
      const isPassedOn = isTarget || places.has(own) || paid.has(own);
      return { channel, lock, isPassedOn };
    },
    /**
     * Number of pending locks of honest nodes in the channels that `isThere` names; one that both ends of a channel hold
     * counts once.
     */
    pending(isThere: (channel: string) => boolean): number {
      const found = new Set<string>();
      for (const [key, locks] of places) {
        const [who = '', side, hash] = key.split(' ');
        for (const channel of locks.keys()) {
          if (!isThere(channel)) continue;
          const giver = side === 'own' ? who : facts.honestPartner(who, channel);
          found.add(`${giver} ${channel} ${hash}`);
        }
      }
      return found.size;
    },
  };
}

/** A node removes a lock, or lets its payer remove one, only when the lock can no longer be claimed. */
function checkTakenBack(
  { head, confirmations, secretBlock }: PaymentFacts,
  { who, side }: Place,
  { secrethash, expiration }: Lock,
) {
  const seen = head() - confirmations;
  const revealed = secretBlock(secrethash);
  const [deed, waits] =
    side === 'own'
      ? ([`takes back ${secrethash}`, 2n] as const)
      : ([`lets ${secrethash} be taken back`, 1n] as const);
  // The rules are repeated here and not taken from the node's code, which may be wrong.
  if (seen < expiration + waits * confirmations)
    throw new Violation(16, who, `${who} ${deed} at ${seen}, too early`);
  if (revealed !== null && revealed < expiration)
    throw new Violation(16, who, `${who} ${deed}, which was claimed on chain`);
}
