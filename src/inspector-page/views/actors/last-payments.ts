/** The payments of a node that its page shows first. */
import type { ListedActor } from '../../../inspector/wire.ts';

/** The machines whose actors are payments. */
export const PAYMENTS: readonly string[] = ['initiator', 'mediator', 'target'];
const SHOWN = 10;

/**
 * Payments under way, then those that ended, the newest first. A row of `actors` is newer than one of `before`. An
 * attempt that was replaced by another is not a payment of its own.
 */
export function lastPayments(
  before: readonly ListedActor[],
  actors: Iterable<ListedActor>,
): ListedActor[] {
  const rows = new Map([...before, ...actors].map((row) => [row.actor, row]));
  return [...rows.values()]
    .filter(({ machine, state }) => PAYMENTS.includes(machine) && state !== 'replaced')
    .sort((a, b) => newnessOf(b) - newnessOf(a))
    .slice(0, SHOWN);
}

/** The time to sort by: payments under way are newest; an end whose time is no longer known counts as oldest. */
function newnessOf({ isEnded, endTime }: ListedActor): number {
  return isEnded ? (endTime ?? 0) : Number.MAX_SAFE_INTEGER;
}
