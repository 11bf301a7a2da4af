/** The payment command: what is checked before a lock is asked for, and what the caller is answered. */

import type { Attempt, PaymentOrder } from '../../../machines/base/inputs.ts';
import type { RecordPayment, ReplyOf } from '../../../machines/effects.ts';
import { NOT_REGISTERED } from '../../../machines/token-network/opening.ts';
import { drawUint64 } from '../../basics/environment.ts';
import {
  type Address,
  type Hash,
  type Hex,
  type Secret,
  toHex,
  ZERO_HASH,
} from '../../basics/hex.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { Promised, SealedFor } from '../../protocol/wire/envelope.ts';
import type { NetworkState } from '../messaging/presence.ts';
import type { PaymentRequest } from '../routing/usable-routes.ts';
import { createUsableRoutes, type UsableRoute } from '../routing/usable-routes.ts';
import type { Happenings } from '../runtime/happenings.ts';
import type { createBudgets } from '../runtime/knowledge/budgets.ts';
import type { Call } from '../runtime/knowledge/calls.ts';
import type { Meter } from '../runtime/knowledge/meter.ts';
import type { RouteFinder } from '../runtime/knowledge/route-finder.ts';
import type { UnsafeChannel } from '../runtime/knowledge/unsafe-channels.ts';
import type { NodeApi, PaymentResult } from './api.ts';
import { type CommandContext, newCall } from './commands.ts';
import { createFlights, type Flight } from './flights.ts';
import { createLockSupplies } from './lock-supply.ts';
import { paymentRefusal } from './payment-values.ts';

const SECRET_USED = 'Choose another one.';
const NO_LOCK = 'The payment was not begun: try again when some have ended.';

type PaymentContext = Pick<
  CommandContext,
  'begin' | 'chance' | 'choose' | 'own' | 'questions' | 'reads' | 'tokenNetworkOf'
> & {
  secretRegistry: Address;
  isSecretUsed(secrethash: Hash): boolean;
  channels: Parameters<typeof createUsableRoutes>[0]['channels'] &
    Parameters<typeof createLockSupplies>[0] & {
      /** Channels of the token that can only be closed, since an old copy of the database has run. */
      frozen(token: Address): UnsafeChannel[];
    };
  partners: {
    isThere(partner: Address): Promise<NetworkState>;
    stateOf(partner: Address): NetworkState;
    /** What a payment promises `target`, readable for it alone; null while its public key is not known. */
    sealSecret(target: Address, payment: SealedFor, promised: Promised): Hex | null;
    /** Why no payment can be sent, or null. */
    brokerTrouble(): string | null;
  };
  finder: RouteFinder;
  budgets: ReturnType<typeof createBudgets>;
  /** Writes a row of the payment history that no actor asked for. */
  record(payment: RecordPayment): void;
};
const initiatorId = (secrethash: Hash) => `initiator:${secrethash}`;

export function createPayments(context: PaymentContext, happenings: Pick<Happenings, 'on'>) {
  const { own, partners, questions, reads } = context;
  const { of: flightOf, waitFor } = createFlights(context, happenings);
  const routes = createUsableRoutes(context);
  const supplies = createLockSupplies(context.channels);

  /** Refuses a payment for which no channel of the token has a lock now: nobody is asked for a route in vain. */
  function lockRefusal(request: PaymentRequest) {
    const mayHave = supplies.of(request).hasLock(0) || !supplies.isExhausted(request.token);
    return mayHave ? null : failure('too_many_locks', NO_LOCK);
  }

  function budgetRefusal({ budget = null, token, amount }: PaymentRequest) {
    if (budget === null) return null;
    const left = context.budgets.left(budget, token);
    if (amount <= left) return null;
    return failure('above_cap', `Of ${budget.perDay} in any 24 hours, ${left} are left.`);
  }

  /** Refuses a secret given by the caller that was used before or is registered: somebody may know it already. */
  async function secretRefusal(secret: Secret) {
    const secrethash = secrethashOf(secret);
    const used = failure('secret_used', SECRET_USED);
    if (context.isSecretUsed(secrethash)) return used;
    const registered = await reads.isSecretRegistered(context.secretRegistry, secrethash);
    if (!registered.ok) return registered;
    return registered.value === 0n ? null : used;
  }

  /** The routes whose first hop is not known to be unreachable. */
  async function reachable(routes: readonly UsableRoute[]): Promise<UsableRoute[]> {
    const states = await Promise.all(routes.map(({ partner }) => partners.isThere(partner)));
    return routes.filter((_, at) => states[at] !== 'unreachable');
  }

  function orderOf(request: PaymentRequest, tokenNetwork: Address, routes: readonly UsableRoute[]) {
    const { token, target, lockTimeout } = request;
    const [first, ...alternatives] = routes.map(({ amount: _, ...route }): Attempt => {
      const secret = request.secret ?? toHex(context.chance.bytes(32));
      return { secret, secrethash: secrethashOf(secret), ...route };
    });
    const amount = routes[0]?.amount;
    if (first === undefined || amount === undefined) throw new Error('a payment without a route');
    const paymentId = request.paymentId ?? drawUint64(context.chance);
    const requestId = initiatorId(first.secrethash);
    const { secret, secrethash } = first;
    // Once the target has the secret, no other attempt may follow.
    const isOnly = alternatives.length === 0;
    const promised = { secret, amount };
    const sealedSecret = isOnly
      ? partners.sealSecret(target, { secrethash, paymentId, token }, promised)
      : null;
    const order = { token, tokenNetwork, target, amount, paymentId, lockTimeout, requestId };
    return { attempt: 1, alternatives, sealedSecret, ...order, ...first };
  }

  const answerOf = async (requestId: string, { keyed }: Call) =>
    paymentIn(
      own,
      await (keyed === null ? questions.wait(requestId, 'payment') : waitFor(requestId, 'payment')),
    );

  function sameOrRefused(same: Flight, request: PaymentRequest, call: Call) {
    const { token, amount, isFeeIncluded = false } = request;
    if (same.token === token && amount === (isFeeIncluded ? same.lockAmount : same.amount)) {
      const { requestId, paymentId } = same;
      const isBegun = context.begin(call, { delivery: null, requestId, paymentId });
      return isBegun ? answerOf(requestId, call) : failure('shutting_down');
    }
    const detail = 'A payment with this identifier and another content is on its way.';
    return failure('identifier_used', detail);
  }

  async function begin(request: PaymentRequest, payment: PaymentOrder, call: Call) {
    const { budget = null, token, amount, secret } = request;
    const { requestId, paymentId } = payment;
    const giveBack = budget === null ? null : context.budgets.charge(budget, token, amount);
    const ending = questions.wait(requestId, 'payment');
    const event = { type: 'cmd.pay', requestId, id: requestId, payment } as const;
    const delivery = { to: 'node', event };
    const isBegun = context.begin(call, { delivery, requestId, paymentId });
    // A payment that is on its way when the node stops may still succeed. And the target, if it knows a secret that the
    // caller chose, can close the channel, so that the payment counts as failed here, and claim the lock on chain after
    // that.
    async function ended(): Promise<Result<ReplyOf<'payment'>>> {
      const answer = isBegun ? await ending : failure('shutting_down');
      const isOver = !answer.ok && answer.outcome !== 'pending';
      if (isOver && secret === null) giveBack?.();
      return answer;
    }
    const end = ended();
    const isImpatient = isBegun && call.keyed !== null;
    return paymentIn(
      own,
      await (isImpatient ? Promise.race([end, waitFor(requestId, 'payment')]) : end),
    );
  }

  return {
    waitFor,
    locksFor: (request: PaymentRequest) =>
      flightOf(request) === undefined ? supplies.of(request) : null,

    async pay(request: PaymentRequest, call: Call = newCall()): Promise<Result<PaymentResult>> {
      const { token, secret } = request;
      const wrong = paymentRefusal(request, own);
      if (wrong !== null) return wrong;
      const tokenNetwork = context.tokenNetworkOf(token);
      if (tokenNetwork === null) return failure('token_not_registered', NOT_REGISTERED);
      const before = flightOf(request);
      if (before !== undefined) return sameOrRefused(before, request, call);
      // Without the broker the lock would be signed, could not be sent, and would expire.
      if (partners.brokerTrouble() !== null) return failure('broker_unavailable');
      const known = secret === null ? null : await secretRefusal(secret);
      if (known !== null) return known;
      const early = budgetRefusal(request) ?? lockRefusal(request);
      if (early !== null) return early;
      const found = await routes.find(request, tokenNetwork);
      if (!found.ok)
        return withoutRoute(context, request, tokenNetwork, orFrozen(context, request, found));
      const open = await reachable(found.value);
      if (open.length === 0)
        return withoutRoute(context, request, tokenNetwork, failure('partner_unreachable'));
      if (open.every(({ channel }) => supplies.isFull(channel)))
        return failure('too_many_locks', NO_LOCK);
      const payment = orderOf(request, tokenNetwork, open);
      // Nothing may be awaited from here on: another call may have begun the same payment meanwhile.
      const same = flightOf(payment);
      if (same !== undefined) return sameOrRefused(same, request, call);
      if (secret !== null && context.isSecretUsed(payment.secrethash))
        return failure('secret_used', SECRET_USED);
      const tooMuch = budgetRefusal(request);
      if (tooMuch !== null) return tooMuch;
      context.choose(token);
      return begin(request, payment, call);
    },
  };
}

/** A refusal for want of a channel, with the one that the payment would have needed and that is frozen. */
function orFrozen(
  { channels }: Pick<PaymentContext, 'channels'>,
  { token, target }: PaymentRequest,
  refusal: Failure,
): Failure {
  const frozen = channels.frozen(token);
  const [first] = [...frozen.filter(({ partner }) => partner === target), ...frozen];
  if (refusal.code !== 'no_route' || first === undefined) return refusal;
  const why = `The channel with ${first.partner} is frozen, since an old copy of the database has run: close it`;
  return failure('no_route', `${refusal.detail ?? ''} ${why}.`.trim());
}

/**
 * A payment without a route is recorded in the history as failed. A payment refused for lack of balance never began,
 * and is not recorded.
 */
function withoutRoute(
  context: Pick<PaymentContext, 'chance' | 'record'>,
  request: PaymentRequest,
  tokenNetwork: Address,
  refusal: Failure,
) {
  const { token, target, amount } = request;
  const paymentId = request.paymentId ?? drawUint64(context.chance);
  const reason = `no route: ${refusal.detail || 'the next node on the path is away'}`;
  // The payment's secret was shown to nobody, so it is not recorded and may be used again.
  const unknown = { secrethash: ZERO_HASH, channel: null, attempts: 0 };
  const facts = { token, tokenNetwork, paymentId, ...unknown, amount, target, reason };
  const { code } = refusal;
  if (code === 'no_route' || code === 'partner_unreachable')
    context.record({ type: 'record.paymentFailed', ...facts, code });
  return refusal;
}

/** The payment command, with each call reported to the meter. */
export function meteredPay(meter: Meter, pay: NodeApi['pay']): NodeApi['pay'] {
  return async (request, call) => {
    const end = meter.payment();
    const result = await pay(request, call);
    end(result.ok);
    return result;
  };
}

/** The payment as its initiator sees it. */
function paymentIn(initiator: Address, answer: Result<ReplyOf<'payment'>>): Result<PaymentResult> {
  if (!answer.ok) return answer;
  const { target, token, amount, paymentId, secret, secrethash } = answer.value.order;
  return { ok: true, value: { initiator, target, token, amount, paymentId, secret, secrethash } };
}
