/**
 * The routes that a payment can take now. Routes of callers and services are not believed: each is judged by what this
 * node can see of it. Protocol sections 4.3 and 6.6.
 */
import type { Attempt } from '../../../machines/base/inputs.ts';
import { larger } from '../../basics/amount.ts';
import type { Address, Hash, Secret } from '../../basics/hex.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import { DEFAULT_FEE_TERMS } from '../../protocol/fees/fee-terms.ts';
import {
  amountToSend,
  estimatePath,
  flatPerChannel,
  isFeeAcceptable,
  proportionalPerChannel,
} from '../../protocol/fees/fees.ts';
import type { Budget } from '../runtime/knowledge/budgets.ts';
import type { RouteFinder } from '../runtime/knowledge/route-finder.ts';

/** A route over a channel of this node that has enough capacity for the amount and its fees. `amount`: what the target gets at least. */
export type UsableRoute = Pick<Attempt, 'channel' | 'partner' | 'route' | 'lockAmount'> & {
  amount: bigint;
};
type Judged =
  | { route: UsableRoute }
  | { flaw: 'unusable' }
  | { flaw: 'fee' | 'capacity'; lockAmount: bigint };
type RouteContext = {
  own: Address;
  channels: {
    /** The actor id of the unsettled channel with the partner; null when there is none. */
    find(token: Address, partner: Address): string | null;
    /** What this node can pay through the channel now; null when the channel takes no payments. */
    payable(channel: string): bigint | null;
    /** Whether a channel of the token takes payments; of so much, when `amount` is not null. */
    canPay(token: Address, amount: bigint | null): boolean;
    /** Whether the channel would sign such a lock now; `lockTimeout` null: of the default length. */
    takes(channel: string, lock: { amount: bigint; lockTimeout: bigint | null }): boolean;
  };
  finder: RouteFinder;
};

/** How many routes are asked for, and the most attempts at one payment. */
const MAX_ROUTES = 3;
/** Most nodes of a route, including both ends. */
const MAX_NODES = 25;

const TOO_SMALL = 'No channel of this token can carry the amount.';
const UNUSABLE =
  'None of the given paths can be used: each must lead from this node over one of its open channels to the target.';
const NO_WAY = 'There is no path to the target that can carry the amount.';

export function createUsableRoutes({ own, channels, finder }: RouteContext) {
  /** `fee`: what the mediators take; null when nobody stated it. */
  function judge(request: PaymentRequest, given: readonly Address[], fee: bigint | null): Judged {
    const { token, target, amount } = request;
    const route = given[0] === own ? given : [own, ...given];
    const partner = route[1];
    const isWhole = route.at(-1) === target && (isCircle(route) || isPath(route));
    const channel = partner === undefined ? null : channels.find(token, partner);
    if (!isWhole || route.length > MAX_NODES || partner === undefined || channel === null)
      return { flaw: 'unusable' };
    const cost = costOf(amount, route.length - 2, fee);
    const isTooLow = cost <= 0n || cost < amount - amount / 5n;
    if (isTooLow) return { flaw: 'unusable' };
    if (!isFeeAcceptable(amount, cost)) return { flaw: 'fee', lockAmount: cost };
    const fees = request.isFeeIncluded === true ? larger(0n, cost - amount) : 0n;
    const lockAmount = cost - fees;
    const payable = channels.payable(channel);
    if (payable === null) return { flaw: 'unusable' };
    if (payable < lockAmount) return { flaw: 'capacity', lockAmount };
    return { route: { channel, partner, route, lockAmount, amount: amount - fees } };
  }

  /** Whether there are open channels of the token and all of them are too small for `amount`. */
  const isTooMuch = (token: Address, amount: bigint): boolean =>
    channels.canPay(token, null) && !channels.canPay(token, amount);

  function chosen(
    request: PaymentRequest,
    judged: readonly Judged[],
    nothing: string,
  ): Result<UsableRoute[]> {
    const routes = judged.flatMap((one) => ('route' in one ? [one.route] : []));
    // A target cannot ask itself for the secret: so its own payment has a secret that is sent with the lock, and one route.
    // And what is left after the fees of another route is another payment.
    const isOnly = request.isCircular === true || request.isFeeIncluded === true;
    const most = isOnly ? 1 : MAX_ROUTES;
    if (routes.length > 0) return { ok: true, value: routes.slice(0, most) };
    return refusal(request, judged, nothing);
  }

  function refusal(
    { token, amount }: PaymentRequest,
    judged: readonly Judged[],
    nothing: string,
  ): Failure {
    const costs = (flaw: 'fee' | 'capacity') =>
      judged.flatMap((one) => ('flaw' in one && one.flaw === flaw ? [one.lockAmount] : []));
    const needed = least(costs('capacity')) ?? amount;
    if (isTooMuch(token, needed))
      return { ok: false, code: 'insufficient_balance', detail: TOO_SMALL };
    const dearest = least(costs('fee'));
    if (dearest === null) return { ok: false, code: 'no_route', detail: nothing };
    const detail = `The fees would be ${dearest - amount}, more than 20 % of the amount.`;
    return { ok: false, code: 'no_route', detail };
  }

  async function search(
    request: PaymentRequest,
    tokenNetwork: Address,
  ): Promise<Result<UsableRoute[]>> {
    const { token, target, amount } = request;
    // Without a channel that can carry it no service can help, and some want to be paid for the question.
    if (!channels.canPay(token, amount)) return chosen(request, [], NO_WAY);
    const asked = { token, tokenNetwork, target, amount, maxRoutes: MAX_ROUTES };
    const found = await finder.find(asked);
    if (!found.ok) return found;
    const judged = found.value
      .slice(0, MAX_ROUTES)
      .map(({ route, estimatedFee }) => judge(request, route, estimatedFee));
    return chosen(request, judged, NO_WAY);
  }

  return {
    /** At most MAX_ROUTES routes, best first; never an empty list. Failures: insufficient_balance, no_route. */
    async find(request: PaymentRequest, tokenNetwork: Address): Promise<Result<UsableRoute[]>> {
      const { target, routes } = request;
      if (routes !== null) {
        const judged = routes.map(({ route, fee }) => judge(request, route, fee));
        return chosen(request, judged, UNUSABLE);
      }
      const direct = judge(request, [own, target], 0n);
      if (!('route' in direct)) return search(request, tokenNetwork);
      if (channels.takes(direct.route.channel, request)) return { ok: true, value: [direct.route] };
      const around = await search(request, tokenNetwork);
      // The direct channel's reason for refusing the lock says more than that there is no route around it.
      return around.ok ? around : { ok: true, value: [direct.route] };
    },
  };
}

/** Whether no node is on it twice. */
const isPath = (route: readonly Address[]) => new Set(route).size === route.length;

/**
 * Whether it returns to its beginning over others, and by another channel than it left by. Asked for by `isCircular`
 * alone: a payment to somebody else does not end with this node.
 */
const isCircle = (route: readonly Address[]) =>
  route.length > 3 && route[0] === route.at(-1) && isPath(route.slice(1));

function costOf(amount: bigint, mediators: number, fee: bigint | null): bigint {
  if (mediators === 0) return amount;
  return fee === null ? assumedCost(amount, mediators) : amountToSend(amount, fee);
}

function least(amounts: readonly bigint[]): bigint | null {
  return amounts.reduce<bigint | null>((a, b) => (a === null || b < a ? b : a), null);
}

/** More than any channel holds, so that capacities do not limit the fee of the schedule. */
const ENDLESS = 2n ** 256n;
const ASSUMED = {
  flat: flatPerChannel(DEFAULT_FEE_TERMS.flat),
  proportional: proportionalPerChannel(
    DEFAULT_FEE_TERMS.proportional + DEFAULT_FEE_TERMS.imbalance,
  ),
  imbalancePenalty: null,
  capFees: true,
};
const ASSUMED_MEDIATION = {
  scheduleIn: ASSUMED,
  scheduleOut: ASSUMED,
  balanceIn: 0n,
  receivable: ENDLESS,
  balanceOut: ENDLESS,
};

/**
 * The amount to lock for a route whose fees nobody stated: as if each mediator took the default fees, including those
 * for imbalance, but never more than the highest acceptable fee. What the mediators do not take reaches the target.
 */
export function assumedCost(amount: bigint, mediators: number): bigint {
  const mediations = Array.from({ length: mediators }, () => ASSUMED_MEDIATION);
  const fee = estimatePath(amount, mediations)?.estimatedFee ?? 0n;
  const cost = amountToSend(amount, fee);
  return isFeeAcceptable(amount, cost) ? cost : amount + amount / 5n;
}

/** `fee`: what the mediators take, in the token's smallest unit; null: the default fees are assumed. */
type StaticRoute = { route: Address[]; fee: bigint | null };

export type PaymentRequest = {
  token: Address;
  target: Address;
  amount: bigint;
  /** Null draws one at random. */
  paymentId: bigint | null;
  secret: Secret | null;
  secrethash: Hash | null;
  lockTimeout: bigint | null;
  /** The only routes to try, best first; null lets the node find some. */
  routes: readonly StaticRoute[] | null;
  /** The caller's spending limit; absent: no limit. */
  budget?: Budget | null;
  /**
   * A payment to oneself, out over one channel and back over another: `target` is this node, and `routes` has one that begins
   * and ends with it. Absent: false.
   */
  isCircular?: boolean;
  /**
   * What mediators take comes out of `amount`: that is the most that leaves this node, and the target gets what is left.
   * Absent: false, fees come on top.
   */
  isFeeIncluded?: boolean;
};
