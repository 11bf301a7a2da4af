/** The claims of all payments, each with what was decided of it when it began, because that may change while it lasts. */
import { kindOf } from '../runtime/actors/kinds.ts';
import { type CountedClaim, createClaimCounts } from './claim-counts.ts';
import type { Claim } from './claims.ts';

type Options = {
  /** What is to be decided of a claim that begins. */
  standingOf(claim: Claim): Pick<CountedClaim, 'isSmall' | 'isDust' | 'isStranger' | 'wei'>;
  /** Whether what a claim is worth can be known now; else it counts as worth its gas until it is. */
  isKnown(): boolean;
  /** Called with each channel whose claims have changed. */
  onChanged(channel: string): void;
};

export function createClaimBook({ standingOf, isKnown, onChanged }: Options) {
  const claims = new Map<string, CountedClaim>();
  /** Claims of which it was not known what they are worth, as they were found. */
  const undecided = new Map<string, Claim>();
  const counts = createClaimCounts();

  function set(actor: string, next: CountedClaim | null) {
    const before = claims.get(actor);
    if (before !== undefined) counts.add(before, -1);
    if (next !== null) counts.add(next, 1);
    if (next === null) claims.delete(actor);
    else claims.set(actor, next);
    for (const channel of new Set([before?.channel, next?.channel]))
      if (channel !== undefined) onChanged(channel);
  }

  function noteClaim(actor: string, found: Claim | null): void {
    const known = claims.get(actor);
    if (found === null) {
      undecided.delete(actor);
      if (known !== undefined) set(actor, null);
      return;
    }
    if (known === undefined && !isKnown()) undecided.set(actor, found);
    else if (undecided.has(actor)) undecided.set(actor, found);
    const { isSmall, isDust, isStranger, wei } = known ?? standingOf(found);
    // A payment to this node that is not worth its gas is taken as it comes: nothing is promised for it.
    const isTarget = kindOf(actor) === 'target';
    const isOpen = found.isOpen && !(isDust && isTarget);
    if (known?.isOpen === isOpen && known.isForced === found.isForced) return;
    const isKept = isOpen || !isTarget || known?.isKept === true;
    set(actor, { ...found, isOpen, isKept, isSmall, isDust, isStranger, wei });
  }

  return {
    ...counts,
    /** The claim of a payment; null: it has none. */
    claim: (actor: string): CountedClaim | null => claims.get(actor) ?? null,
    /** What the payment claims has changed; null: it claims nothing. */
    noteClaim,
    /** Decides anew on the claims of which it was not known what they are worth. */
    decide(): void {
      const all = [...undecided];
      undecided.clear();
      for (const [actor] of all) set(actor, null);
      for (const [actor, found] of all) noteClaim(actor, found);
    },
  };
}
