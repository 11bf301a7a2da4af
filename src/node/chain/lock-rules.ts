/**
 * When this node promises nothing for a lock of a payer, because it might lose on chain what it pays for that lock, or
 * more in gas than the lock is worth. What an attacker can choose (amounts, tokens, timeouts, the number of its keys)
 * costs its own locks, and others no more than a part of what they share.
 */

import { larger } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';
import { BLOCKS_TO_BE_SEEN } from '../../protocol/channel/expiration.ts';
import { type Bounded, USUAL } from '../runtime/knowledge/bounds.ts';
import type { ByTimeout } from './claim-counts.ts';
import type { Customers } from './gas/customers.ts';
import { type GasBudgets, REGISTRATION } from './gas/gas-budgets.ts';
import { gasOfRegistrations, weiFor } from './gas/gas-reserve.ts';
import type { GasWatch } from './gas/gas-watch.ts';
import type { RiskRule } from './lock-risk.ts';
import type { PendingLocks } from './pending-locks.ts';

/** Locks that mean little to this node share a SMALL_PART-th of what there is. */
const SMALL_PART = 4;

type Known<K extends keyof PendingLocks> = { pending: Pick<PendingLocks, K> };
type KnowingCustomers = { customers: Pick<Customers, 'placesOf'> };
type BudgetKnown = Known<'unforcedOf' | 'isStranger'> &
  KnowingCustomers & { budgets: Pick<GasBudgets, 'budgetOf' | 'met' | 'spent'> };
type Watching = { watch: Pick<GasWatch, 'money'> };
type GasKnown = Known<'promisedWithOneMore' | 'promisedToStrangers' | 'isStranger' | 'of'> &
  KnowingCustomers &
  Watching & {
    /** Called when a lock was refused: `wanted` wei would have been enough. */
    onShort(wanted: bigint): void;
  };

/**
 * A payer that has forced this node to register a secret on chain, and has not paid yet, gets nothing passed on in any
 * of its channels: each withheld unlock costs this node the gas of a registration, and the payer nothing.
 */
export function cleanBooksRule({ pending }: Known<'forcedBy'>): RiskRule {
  return ({ isForwarded, partner }) =>
    isForwarded && pending.forcedBy(partner) > 0 ? 'no_route' : null;
}

/**
 * A lock whose registration costs more than it is worth is not passed on, as far as the operator has said what its
 * token is worth: else a payer could make this node pay more for the claim than it gets by it.
 */
export function worthRule({ pending, watch }: Known<'worthOf'> & Watching): RiskRule {
  return ({ amount, token, isForwarded }) => {
    const worth = pending.worthOf(amount, token);
    if (worth === null || !isForwarded) return null;
    const money = watch.money();
    if (money === null) return 'chain_unavailable';
    return worth < weiFor(gasOfRegistrations({ registrations: 1 }), money.price)
      ? 'no_route'
      : null;
  };
}

/** So much of what strangers share is kept for those of them that have brought something: a quarter. */
const CUSTOMERS_PART = 4n;

/**
 * A partner is promised only as much as it has left of the gas that it may cost this node, pending locks included. A
 * stranger shares with all others: it gets as much as it leaves free, so that it takes thirteen keys with locks of value
 * to leave others none; locks that mean little get a part of it, spent or pending. A customer has its places besides.
 */
export function budgetRule({ pending, budgets, customers }: BudgetKnown): RiskRule {
  const gas = (registrations: number) => BigInt(registrations) * REGISTRATION;
  const ofStrangers = budgets.budgetOf('strangers').most;
  const ofCustomers = ofStrangers / CUSTOMERS_PART;
  const used = (account: Address | 'strangers') =>
    budgets.spent(account) + gas(pending.unforcedOf(account).all);
  const smallOf = (account: Address | 'strangers') => gas(pending.unforcedOf(account).small);
  const smallLeft = () =>
    budgets.budgetOf('small strangers').most -
    budgets.spent('small strangers') -
    smallOf('strangers');
  function isCustomers(partner: Address, own: bigint): boolean {
    const places = customers.placesOf(partner, Number(ofCustomers / REGISTRATION));
    const isLeft = used('strangers') + REGISTRATION <= ofStrangers;
    return isLeft && own + REGISTRATION <= gas(places);
  }
  function refused(account: Address | 'strangers'): 'no_route' {
    budgets.met(account);
    return 'no_route';
  }
  return ({ partner, isSmall }) => {
    const own = used(partner);
    if (own + REGISTRATION > budgets.budgetOf(partner).most) return refused(partner);
    if (!pending.isStranger(partner)) return null;
    const isFull =
      own + REGISTRATION > ofStrangers - ofCustomers - used('strangers') ||
      (isSmall && smallOf(partner) + REGISTRATION > smallLeft());
    return isFull && !isCustomers(partner, own) ? refused('strangers') : null;
  };
}

/**
 * Refuses every lock for which the account does not hold what would be promised with it. A figure that is unknown or too
 * old refuses, too: an endpoint that does not answer cannot make this node promise anything. Locks that mean little may
 * take a SMALL_PART-th of the money that is left for all, so that most is left for others; and strangers leave as much of
 * it to others as they hold together. A customer has its places in a quarter of the money besides.
 */
export function gasRule({ pending, watch, customers, onShort }: GasKnown): RiskRule {
  return ({ channel, partner, isSmall }) => {
    const money = watch.money();
    if (money === null) return 'chain_unavailable';
    const { spare, price } = money;
    const { all, small } = pending.promisedWithOneMore(channel, isSmall);
    const forSmall = isSmall ? BigInt(SMALL_PART - 1) * small : 0n;
    const left = larger(forSmall, pending.isStranger(partner) ? pending.promisedToStrangers() : 0n);
    const wanted = all + left;
    if (spare >= wanted) return null;
    const places = Number(spare / weiFor(CUSTOMERS_PART * REGISTRATION, price));
    const isCustomers = pending.of(partner).all < customers.placesOf(partner, places);
    if (isCustomers && spare >= all) return null;
    onShort(wanted);
    return 'insufficient_gas';
  };
}

/**
 * Keeps the number of pending locks so low that all their secrets can be registered, even if all of them expire at one
 * block: so many blocks, so many secrets in each, within the gas that a block can be counted on to have.
 *
 * A partner gets as much of this room as it leaves free, so no number of partners takes everything. Locks that mean
 * little share a part of it, so that the rest is left for locks of value.
 */
export function roomRule({
  pending,
  confirmations,
  bounds = USUAL,
}: Known<'of' | 'byTimeout' | 'smallByTimeout'> & {
  confirmations: bigint;
  bounds?: Bounded;
}): RiskRule {
  const { secretsPerBlock } = bounds.of;
  const room = (timeout: bigint) => roomFor(timeout, { confirmations, secretsPerBlock });
  const smallRoom = (timeout: bigint) => Math.floor(room(timeout) / SMALL_PART);
  return ({ partner, revealTimeout, isSmall }) => {
    const partners = pending.of(partner);
    const isFull =
      partners.all >= roomLeft(pending.byTimeout(), revealTimeout, room) ||
      (isSmall && partners.small >= roomLeft(pending.smallByTimeout(), revealTimeout, smallRoom));
    if (!isFull) return null;
    bounds.met('secretsPerBlock');
    return 'too_many_locks';
  };
}

/**
 * How many more secrets with this reveal timeout can still be registered in time, besides those that are pending.
 * Whatever expires when: all are registered in time if, for each reveal timeout, those that have no longer one find room
 * in so many blocks. So a short reveal timeout takes no more room from others than a long one, and finds less itself.
 */
export function roomLeft(
  pending: ByTimeout,
  revealTimeout: bigint,
  roomOf: (timeout: bigint) => number,
): number {
  const shortestFirst = [...pending, [revealTimeout, 0] as const].sort(([a], [b]) =>
    a < b ? -1 : Number(a > b),
  );
  let left = Number.POSITIVE_INFINITY;
  let count = 0;
  for (const [timeout, more] of shortestFirst) {
    count += more;
    if (timeout >= revealTimeout) left = Math.min(left, roomOf(timeout) - count);
  }
  return left;
}

/**
 * How many secrets can be registered before the locks of a channel with this reveal timeout expire. Registration begins
 * when the last confirmed block leaves no more than the reveal timeout, and the blocks that are confirmed later have
 * passed by then. The blocks that a transaction may take to be mined count: all waiting transactions are sent at once
 * and side by side. No partner can choose a reveal timeout that leaves fewer blocks than that.
 */
export function roomFor(
  revealTimeout: bigint,
  { confirmations, secretsPerBlock }: { confirmations: bigint; secretsPerBlock: number },
): number {
  const blocks = revealTimeout - confirmations - BLOCKS_TO_BE_SEEN;
  return blocks > 0n ? Number(blocks) * secretsPerBlock : 0;
}
