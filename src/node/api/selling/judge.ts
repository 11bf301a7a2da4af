/** Judges proofs: whether a payment that this node received is the one that a server demands. Changes nothing. */
import { targetTags } from '../../../../machines/tags.ts';
import type { Clock } from '../../../basics/environment.ts';
import type { Address, Hash, Secret } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { Store } from '../../../store/store.ts';
import type { ReceivedPayment } from '../../../store/tables/redemptions.ts';
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
  'expires_too_far',
  'payment_not_found',
  'payment_pending',
  'payer_mismatch',
  'asset_mismatch',
  'insufficient_amount',
  'duplicate_settlement',
  'released',
] as const;
type Reason = (typeof REASONS)[number];

export type Refused = { isGood: false; reason: Reason; payer: Address };
/** `received`: when the payment came, in milliseconds since 1970. */
type Good = { isGood: true; secrethash: Hash; payer: Address; amount: bigint; received: number };
export type Judged = Refused | Good;

/** A payment can be redeemed for so many milliseconds after it came, whatever end of the offer a buyer names. */
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

  function timeFault(proof: Proof): Reason | null {
    const now = clock.now();
    if (endOf(proof) <= now) return 'expired';
    return endOf(proof) > now + REDEEMABLE_MS ? 'expires_too_far' : null;
  }

  /** The payment of the proof that waits for its unlock only. */
  function underWay({ payer, paymentId, secret }: Proof): string | null {
    const id = `target:${secrethashOf(secret)}`;
    const state = actors.stateOf(id);
    if (state?.kind !== 'target' || !targetTags(state.value).has('awaitsUnlock')) return null;
    const { context: payment } = state;
    return payment.initiator === payer && payment.paymentId === paymentId ? id : null;
  }

  /** The payment may have ended in a turn that is not written yet. */
  function receivedPayment(secrethash: Hash): ReceivedPayment | null {
    const known = store.receivedPayment(secrethash);
    if (known !== null) return known;
    engine.write();
    return store.receivedPayment(secrethash);
  }

  function paymentFault(proof: Proof, payment: ReceivedPayment | null): Reason | null {
    if (payment === null) return underWay(proof) === null ? 'payment_not_found' : 'payment_pending';
    if (payment.initiator !== proof.payer) return 'payer_mismatch';
    if (payment.paymentId !== proof.paymentId) return 'identifier_mismatch';
    if (payment.token !== proof.demanded.asset) return 'asset_mismatch';
    return payment.amount < proof.demanded.amount ? 'insufficient_amount' : null;
  }

  /** Which end an offer has, the server alone can say: this bounds what others make of it. */
  function ageFault(proof: Proof, received: number): Reason | null {
    if (received < store.redeemableFrom()) return 'expired';
    return endOf(proof) > received + REDEEMABLE_MS ? 'expires_too_far' : null;
  }

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
    /** The payment that is under way, if nothing is against the proof so far. */
    awaited: (proof: Proof): string | null =>
      (demandFault(proof) ?? timeFault(proof)) === null ? underWay(proof) : null,
    /** Whether the payment can be redeemed now. */
    redeemable(proof: Proof): Judged {
      const { payer, secret } = proof;
      const refused = (reason: Reason): Refused => ({ isGood: false, reason, payer });
      const early = demandFault(proof) ?? timeFault(proof);
      if (early !== null) return refused(early);
      const payment = found(proof);
      if (!payment.isGood) return payment;
      const late = ageFault(proof, payment.received);
      if (late !== null) return refused(late);
      return redemptions.find(secrethashOf(secret)) === null
        ? payment
        : refused('duplicate_settlement');
    },
  };
}

/** The end of the offer in milliseconds since 1970. */
const endOf = ({ accepted }: Proof): number => Number(accepted.expires) * 1_000;
