/** The payments of a node that are worth being seen first. */
import type { ListedActor } from '../../inspector/wire.ts';

/** The machines whose actors are payments. */
export const PAYMENTS: readonly string[] = ['initiator', 'mediator', 'target'];
const SHOWN = 10;

/**
 * Those under way, then those that ended, the newest first. What the list knows of an actor is newer than
 * `before`. An attempt that another one replaced is no payment of its own.
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

/** The end of one that has ended at a time that nobody knows any more was long ago. */
function newnessOf({ isEnded, endTime }: ListedActor): number {
  return isEnded ? (endTime ?? 0) : Number.MAX_SAFE_INTEGER;
}
