/** A node whose database is known to be an old copy says nothing and pays for nothing before its owner has accepted that. */
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

/** `isRefused`: whether the node has such a database, and its owner has not accepted it yet. */
export function createRefused(isRefused: (who: string) => boolean): Oracle {
  function check(who: string, what: string) {
    if (isRefused(who)) throw new Violation(19, who, `${who} ${what} with an old copy of its disk`);
  }
  return {
    sends: (who, to) => check(who, `speaks to ${to}`),
    submitted: (who) => check(who, 'sends a transaction'),
  };
}
