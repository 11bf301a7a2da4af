/** Judges proofs: whether a payment that this node received is the one that a server demands. Changes nothing. */
import { targetTags } from '../../../../machines/tags.ts';
import type { Clock } from '../../../basics/environment.ts';
import type { Address, Hash, Secret } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { ReceivedPayment } from '../../../store/history/history.ts';
import type { Store } from '../../../store/store.ts';
import type { Actors } from '../../runtime/actors/actors.ts';
import type { Engine } from '../../runtime/commits/turn.ts';
import type { Redemptions } from '../../runtime/knowledge/redemptions.ts';

/** What a server asks for. `network`: CAIP-2; `amount`: in the token's smallest unit. */
type Demand = {
  scheme: string;
  network: string;
  amount: bigint;
  asset: Address;
  payTo: Address;
  maxTimeoutSeconds: bigint;
};
/**
 * `demanded`: what the server says that it asks for; `accepted`: what the buyer says that it has paid for, with the
 * identifier of the payment and the end of the offer in seconds since 1970.
 */
export type Proof = {
  demanded: Demand;
  accepted: Demand & { paymentId: bigint; expires: bigint };
  payer: Address;
  paymentId: bigint;
  secret: Secret;
};

/** Why a proof is not taken. The list is complete. */
export const REASONS = [
  'unsupported_scheme',
  'requirements_mismatch',
  'network_mismatch',
  'recipient_mismatch',
  'identifier_mismatch',
  'expired',
  'payment_not_found',
  'payment_pending',
  'payer_mismatch',
  'asset_mismatch',
  'insufficient_amount',
  'duplicate_settlement',
  'released',
] as const;
type Reason = (typeof REASONS)[number];

export type RefusedSale = { isGood: false; reason: Reason; payer: Address };
/** `received`: when it was paid, in milliseconds since 1970. */
type Good = {
  isGood: true;
  secrethash: Hash;
  payer: Address;
  amount: bigint;
  received: number;
};
type Coming = { id: string; mayEndSoon: boolean };
export type Judged = RefusedSale | Good;

/** A payment can be redeemed for so many milliseconds after it was paid. */
const REDEEMABLE_MS = 86_400_000;

const COMPARED = ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds'] as const;

export type JudgeParts = {
  own: Address;
  network: string;
  actors: Pick<Actors, 'stateOf'>;
  engine: Pick<Engine, 'write'>;
  store: Pick<Store, 'receivedPayment' | 'redeemableFrom'>;
  redemptions: Pick<Redemptions, 'find'>;
  clock: Pick<Clock, 'now'>;
};

export function createJudge(parts: JudgeParts) {
  const { own, network, actors, engine, store, redemptions, clock } = parts;

  /** What can be said without the payment; null: nothing is against it. */
  function demandFault({ demanded, accepted, paymentId }: Proof): Reason | null {
    if (accepted.scheme !== 'channel') return 'unsupported_scheme';
    if (COMPARED.some((field) => demanded[field] !== accepted[field]))
      return 'requirements_mismatch';
    if (accepted.network !== network) return 'network_mismatch';
    if (accepted.payTo !== own) return 'recipient_mismatch';
    return accepted.paymentId === paymentId ? null : 'identifier_mismatch';
  }

  /** The payment of the proof that is under way: its lock is there and its secret known, and it can still be paid. */
  function underWay({ payer, paymentId, secret }: Proof): Coming | null {
    const id = `target:${secrethashOf(secret)}`;
    const state = actors.stateOf(id);
    if (state?.kind !== 'target' || state.context.secret === null) return null;
    const { context: payment } = state;
    if (payment.initiator !== payer || payment.paymentId !== paymentId) return null;
    return { id, mayEndSoon: targetTags(state.value).has('awaitsUnlock') };
  }

  /** The payment may have ended in a turn that is not written yet. */
  function receivedPayment(secrethash: Hash): ReceivedPayment | null {
    const known = store.receivedPayment(secrethash);
    if (known !== null) return known;
    engine.write();
    return store.receivedPayment(secrethash);
  }

  function paymentFault(proof: Proof, payment: ReceivedPayment | null): Reason | null {
    if (payment === null) return absenceOf(proof);
    if (payment.initiator !== proof.payer) return 'payer_mismatch';
    if (payment.paymentId !== proof.paymentId) return 'identifier_mismatch';
    if (payment.token !== proof.demanded.asset) return 'asset_mismatch';
    return payment.amount < proof.demanded.amount ? 'insufficient_amount' : null;
  }

  /**
   * What is said of a payment that is not there. Its mediators decide when it comes: if it does, it is taken after the end of
   * the offer, too.
   */
  function absenceOf(proof: Proof): Reason {
    if (underWay(proof) !== null) return 'payment_pending';
    const isOver = clock.now() >= Number(proof.accepted.expires) * 1_000;
    return isOver ? 'expired' : 'payment_not_found';
  }

  const isTooOld = ({ received }: Good) =>
    received < store.redeemableFrom() || clock.now() >= received + REDEEMABLE_MS;

  /** The payment of the proof, whether or not it can still be redeemed. */
  function found(proof: Proof): Judged {
    const { payer, secret } = proof;
    const secrethash = secrethashOf(secret);
    const early = demandFault(proof);
    const payment = early === null ? receivedPayment(secrethash) : null;
    const fault = early ?? paymentFault(proof, payment);
    if (payment === null || fault !== null)
      return { isGood: false, reason: fault ?? 'payment_not_found', payer };
    const { amount, time: received } = payment;
    return { isGood: true, secrethash, payer, amount, received };
  }

  return {
    found,
    /** The payment that is under way and may end soon, if nothing is against the proof so far. */
    awaited(proof: Proof): string | null {
      const coming = demandFault(proof) === null ? underWay(proof) : null;
      return coming?.mayEndSoon === true ? coming.id : null;
    },
    /** Whether the payment can be redeemed now. */
    redeemable(proof: Proof): Judged {
      const { payer, secret } = proof;
      const refused = (reason: Reason): RefusedSale => ({ isGood: false, reason, payer });
      const payment = found(proof);
      if (!payment.isGood) return payment;
      if (isTooOld(payment)) return refused('expired');
      return redemptions.find(secrethashOf(secret)) === null
        ? payment
        : refused('duplicate_settlement');
    },
  };
}
