/** Payments of this node that are on their way, and who waits for their ends. */
import type { PaymentOrder } from '../../../machines/base/inputs.ts';
import type { ReplyKind, ReplyOf } from '../../../machines/effects.ts';
import { initiatorTags } from '../../../machines/tags.ts';
import type { Address } from '../../basics/hex.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import type { NetworkState } from '../messaging/presence.ts';
import type { Questions } from '../runtime/commits/questions.ts';
import type { Happenings } from '../runtime/happenings.ts';

/**
 * `id`: the actor of the current attempt, whose next node is `partner`; `requestId`: the request that all attempts share.
 */
export type Flight = {
  id: string;
  partner: Address;
  requestId: string;
  token: Address;
  amount: bigint;
  lockAmount: bigint;
  paymentId: bigint;
};
const STILL_PENDING = 'The payment may still be made when it comes back before the lock expires.';
const AWAY: Failure = {
  ok: false,
  code: 'partner_unreachable',
  detail: STILL_PENDING,
  outcome: 'pending',
};

type Parts = {
  questions: Pick<Questions, 'wait'>;
  partners: { stateOf(partner: Address): NetworkState };
};

export function createFlights({ questions, partners }: Parts, happenings: Pick<Happenings, 'on'>) {
  /** Payments on their way, by target and identifier: asking twice for the same payment pays once. */
  const inFlight = new Map<string, Flight>();
  const byRequest = new Map<string, Flight>();
  /** The key in `inFlight` of each actor that is an attempt. */
  const keys = new Map<string, string>();
  /** Who is told, before the end of a payment, that its next node is away; by request. */
  const impatient = new Map<string, ((answer: Failure) => void)[]>();
  const flightKey = (target: Address, paymentId: bigint) => `${target}:${paymentId}`;

  /** Notes the attempt that is under way for a payment of this node, begun now or before a restart. */
  function note(id: string, order: PaymentOrder) {
    const { target, partner, paymentId, requestId, token, amount, lockAmount } = order;
    const key = flightKey(target, paymentId);
    const flight = { id, partner, requestId, token, amount, lockAmount, paymentId };
    inFlight.set(key, flight);
    byRequest.set(requestId, flight);
    keys.set(id, key);
  }
  happenings.on('found', (id, { kind, value, context }) => {
    // A payment may have two attempts: the abandoned one answers no caller.
    if (kind === 'initiator' && !initiatorTags(value).has('answersNobody')) note(id, context.order);
  });
  happenings.on('spawned', (spawn) => {
    if (spawn.type === 'spawn.initiator') note(spawn.id, spawn.input.order);
  });
  happenings.on('ended', (id) => {
    const key = keys.get(id);
    if (key === undefined) return;
    keys.delete(id);
    // A later attempt of the payment may have taken the place.
    const flight = inFlight.get(key);
    if (flight?.id !== id) return;
    inFlight.delete(key);
    byRequest.delete(flight.requestId);
    impatient.delete(flight.requestId);
  });
  // Those who can ask again are told that the next node of their payment is away.
  happenings.on('away', (partner) => {
    for (const flight of inFlight.values()) {
      if (flight.partner !== partner) continue;
      const told = impatient.get(flight.requestId) ?? [];
      impatient.delete(flight.requestId);
      for (const tell of told) tell(AWAY);
    }
  });

  return {
    /** The flight of a payment to the same target with the same identifier. */
    of({ target, paymentId }: { target: Address; paymentId: bigint | null }): Flight | undefined {
      return paymentId === null ? undefined : inFlight.get(flightKey(target, paymentId));
    },
    /**
     * The end of a payment; for a call with a key, which can be repeated, until then that the next node is away. Others wait:
     * who cannot tell the two apart would pay twice.
     */
    waitFor<K extends ReplyKind = ReplyKind>(
      requestId: string,
      kind?: K,
    ): Promise<Result<ReplyOf<K>>> {
      const flight = byRequest.get(requestId);
      if (flight === undefined) return questions.wait(requestId, kind);
      if (partners.stateOf(flight.partner) === 'unreachable') return Promise.resolve(AWAY);
      const before = impatient.get(requestId) ?? [];
      const early = new Promise<Failure>((resolve) => {
        impatient.set(requestId, [...before, resolve]);
      });
      return Promise.race([questions.wait(requestId, kind), early]);
    },
  };
}
