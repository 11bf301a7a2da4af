/**
 * The fee that a mediator records is what it received less what it passed on; and when all nodes are honest, what
 * payers paid is what payees received plus what mediators earned.
 */
import type { RecordMediated } from '../../../../machines/effects.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

/** Sums over all nodes, in the token's smallest unit. */
export type Totals = { spent: bigint; received: bigint; fees: bigint };
/** `totals` null: some node is not honest, or has forgotten something. */
type Needs = { totals(): Totals | null };

/** Locks that are remembered in all. */
const KEPT = 20_000;

export function createFees({ totals }: Needs): Oracle {
  /** By machine, side and secrethash: the amount of each time that it was locked. */
  const amounts = createRecent<readonly bigint[]>(KEPT);

  function note(who: string, { side, kind, lock, secrethash }: Changed) {
    if (kind !== 'add') return;
    const key = `${who} ${side} ${secrethash}`;
    amounts.set(key, [...(amounts.get(key) ?? []), decodeLock(lock).amount]);
  }

  function check(who: string, { secrethash, fee }: RecordMediated) {
    const came = amounts.get(`${who} partner ${secrethash}`);
    const went = amounts.get(`${who} own ${secrethash}`);
    if (came === undefined || went === undefined) return;
    if (came.some((more) => went.some((less) => more - less === fee))) return;
    const text = `${who} counts a fee of ${fee} for ${secrethash}`;
    throw new Violation(9, who, `${text}: ${came.join()} came, and ${went.join()} went`);
  }

  return {
    commit(who, { proofs, mediations }) {
      for (const change of lockChanges(proofs)) note(who, change);
      for (const mediated of mediations) check(who, mediated);
    },
    end() {
      const all = totals();
      if (all === null || all.spent === all.received + all.fees) return;
      const { spent, received, fees } = all;
      const text = `${spent} was paid, of which ${received} arrived and ${fees} was earned`;
      throw new Violation(9, null, text);
    },
  };
}
