/**
 * An initiator reveals the secret only when the target's first request asked for exactly the locked payment; not
 * after a wrong request, and never for two attempts that could both be claimed.
 */
import type { RecordPayment } from '../../../../machines/effects.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { LockChange } from '../../../protocol/messages/changes.ts';
import type { SecretRequest } from '../../../protocol/messages/secret-request.ts';
import { sealedSecretIn } from '../../../protocol/wire/metadata.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

type Options = {
  ledger: Pick<Ledger, 'isInitiator' | 'isReturned' | 'ownExpiration'>;
  /** Null: the node is not honest. */
  addressOf(who: string): Address | null;
  /** The newest block that every honest node acts upon. */
  seenBlock(): bigint;
};
/** One attempt at a payment that a node started. */
type Attempt = Pick<LockChange, 'target' | 'token' | 'paymentId'> & {
  secrethash: Hash;
  expiration: bigint;
  /** The lock has brought the secret along, for its target alone. */
  isOffered: boolean;
  isShown: boolean;
  /** The amount of the first fitting request; null: none has arrived. */
  askedFor: bigint | null;
  /** The target has made a wrong request before, and the node has noted it. */
  isSpoilt: boolean;
  isAskedForOther: boolean;
};

const INITIATOR = 'initiator:';
/** Entries that are remembered in all. */
const KEPT = 40_000;

export function createDisclosures({ ledger, addressOf, seenBlock }: Options): Oracle {
  const attempts = createRecent<Attempt>(KEPT);
  const byPayment = createRecent<readonly Attempt[]>(KEPT);

  const keyOf = (who: string, secrethash: Hash) => `${who} ${secrethash}`;
  const isFitting = (attempt: Attempt, { paymentId, token, expiration }: SecretRequest) =>
    paymentId === attempt.paymentId && token === attempt.token && expiration === attempt.expiration;

  /** Whether the lock is pending and its secret was revealed, or sent with it. */
  function isClaimable(
    who: string,
    { secrethash, expiration, isShown, isOffered }: Attempt,
  ): boolean {
    const isOut = isShown || isOffered;
    return isOut && ledger.ownExpiration(who, secrethash) !== null && seenBlock() < expiration;
  }

  function othersOf(who: string, { target, paymentId, secrethash }: Attempt) {
    const all = byPayment.get(`${who} ${target} ${paymentId}`) ?? [];
    return all.filter((other) => other.secrethash !== secrethash);
  }

  function checkAlone(who: string, attempt: Attempt) {
    if (!othersOf(who, attempt).some((other) => isClaimable(who, other))) return;
    const { paymentId } = attempt;
    throw new Violation(29, who, `${who} pays ${paymentId} again, which can be claimed already`);
  }

  function locks(who: string, { target, token, paymentId, lock, metadata }: LockChange) {
    const { secrethash, expiration } = lock;
    const key = keyOf(who, secrethash);
    if (attempts.get(key) !== undefined || !ledger.isInitiator(who, secrethash)) return;
    const isOffered = sealedSecretIn(metadata) !== null;
    const facts = { target, token, paymentId, secrethash, expiration, isOffered };
    const state = { isShown: false, isSpoilt: false, isAskedForOther: false };
    const attempt = { ...facts, ...state, askedFor: null };
    attempts.set(key, attempt);
    const payment = `${who} ${target} ${paymentId}`;
    byPayment.set(payment, [...(byPayment.get(payment) ?? []), attempt]);
    checkAlone(who, attempt);
  }

  function shows(who: string, secrethash: Hash) {
    const attempt = attempts.get(keyOf(who, secrethash));
    if (attempt === undefined || attempt.isShown) return;
    // The node is its own target, and has its transfer back.
    const isOwn = attempt.isOffered && attempt.target === addressOf(who);
    if (isOwn && ledger.isReturned(who, secrethash)) return;
    if (attempt.askedFor === null)
      throw new Violation(
        15,
        who,
        `${who} reveals ${secrethash}, which its target did not ask for`,
      );
    if (attempt.isSpoilt)
      throw new Violation(15, who, `${who} reveals ${secrethash} after another was asked for`);
    attempt.isShown = true;
    checkAlone(who, attempt);
  }

  /** The node has written a new state of this actor: the wrong request was handled. */
  function changes(who: string, actor: string) {
    if (!actor.startsWith(INITIATOR)) return;
    const attempt = attempts.get(`${who} ${actor.slice(INITIATOR.length)}`);
    if (attempt?.isAskedForOther && attempt.askedFor === null) attempt.isSpoilt = true;
  }

  function records(who: string, { type, secrethash, amount }: RecordPayment) {
    const attempt = attempts.get(keyOf(who, secrethash));
    if (attempt === undefined) return;
    if (type === 'record.paymentFailed' && isClaimable(who, attempt))
      throw new Violation(8, who, `${who} calls ${secrethash} failed, which can be claimed`);
    // What arrives of a payment that nobody has asked for is compared where its target notes it: see receipts.ts.
    if (!attempt.isShown || type !== 'record.paymentSent' || (attempt.askedFor ?? 0n) >= amount)
      return;
    throw new Violation(15, who, `${who} pays ${amount}, of which ${attempt.askedFor} arrives`);
  }

  return {
    hears(who, from, message) {
      if (message.type !== 'SecretRequest') return;
      const attempt = attempts.get(keyOf(who, message.secrethash));
      if (attempt === undefined || attempt.target !== from) return;
      if (isFitting(attempt, message)) attempt.askedFor ??= message.amount;
      else if (attempt.askedFor === null) attempt.isAskedForOther = true;
    },
    commit(who, { payments, actors }) {
      for (const payment of payments) records(who, payment);
      for (const { id } of actors) changes(who, id);
    },
    says(who, _, message) {
      if (message.type === 'Update')
        for (const change of message.changes) if (change.type === 'lock') locks(who, change);
      if (message.type === 'RevealSecret') shows(who, secrethashOf(message.secret));
    },
  };
}
