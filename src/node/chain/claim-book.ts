/** The claims of all payments, each with what was decided of it when it began, because that may change while it lasts. */
import { kindOf } from '../runtime/actors/kinds.ts';
import { type CountedClaim, createClaimCounts } from './claim-counts.ts';
import type { Claim } from './claims.ts';
import { REGISTRATION } from './gas/gas-budgets.ts';
import { weiAside } from './gas/gas-reserve.ts';
import { type ClaimPrices, keptPrice } from './promise-prices.ts';

type Options = {
  /** What is to be decided of a claim that begins. */
  standingOf(claim: Claim): Pick<CountedClaim, 'isSmall' | 'isDust' | 'isStranger'>;
  /** What a unit of gas costs now, in wei; 0: nobody knows. */
  price(): bigint;
  prices: ClaimPrices;
  /** Whether what a claim is worth can be known now; else it counts as worth its gas until it is. */
  isKnown(): boolean;
  /** Called with each channel whose claims have changed. */
  onChanged(channel: string): void;
};

export function createClaimBook({ standingOf, price: now, prices, isKnown, onChanged }: Options) {
  const claims = new Map<string, CountedClaim>();
  /** Claims of which it was not known what they are worth, as they were found. */
  const undecided = new Map<string, Claim>();
  const counts = createClaimCounts();
  /** What is set aside for registrations that are under way though their claims are over: others may stand behind them. */
  const held = new Map<string, bigint>();
  const underWay = new Set<string>();
  let heldWei = 0n;

  function hold(actor: string, wei: bigint) {
    heldWei += wei - (held.get(actor) ?? 0n);
    if (wei > 0n) held.set(actor, wei);
    else held.delete(actor);
  }

  function set(actor: string, next: CountedClaim | null) {
    const before = claims.get(actor);
    if (before !== undefined) counts.add(before, -1);
    const isOver = before?.isOpen === true && next?.isOpen !== true;
    if (isOver && underWay.has(actor)) hold(actor, before.wei);
    if (next?.isOpen === true) hold(actor, 0n);
    if (next !== null) counts.add(next, 1);
    if (next === null) claims.delete(actor);
    else claims.set(actor, next);
    if (next?.isOpen === true) prices.begin(actor, next.channel, next.price);
    else if (before !== undefined) prices.end(actor, before.channel);
    for (const channel of new Set([before?.channel, next?.channel]))
      if (channel !== undefined) onChanged(channel);
  }

  /** `isAnew`: what was decided when it began is decided again, but for what is set aside, if that was known. */
  function note(actor: string, found: Claim | null, isAnew: boolean): void {
    const known = claims.get(actor);
    if (found === null) {
      undecided.delete(actor);
      if (known !== undefined) set(actor, null);
      return;
    }
    if (known === undefined && !isKnown()) undecided.set(actor, found);
    else if (undecided.has(actor)) undecided.set(actor, found);
    const standing = isAnew ? undefined : known;
    const { isSmall, isDust, isStranger } = standing ?? standingOf(found);
    const price = known !== undefined && known.price > 0n ? known.price : priceFor(actor, found);
    const wei = weiAside(REGISTRATION, price);
    // A payment to this node that is not worth its gas is taken as it comes: nothing is promised for it.
    const isTarget = kindOf(actor) === 'target';
    const isOpen = found.isOpen && !(isDust && isTarget);
    if (standing?.isOpen === isOpen && standing.isForced === found.isForced) return;
    const isKept = isOpen || !isTarget || standing?.isKept === true;
    set(actor, { ...found, isOpen, isKept, isSmall, isDust, isStranger, price, wei });
  }

  /** Of a claim of an earlier process, which is noted before anybody knows what gas costs, the price of then. */
  const priceFor = (actor: string, { channel }: Claim): bigint =>
    isKnown() ? keptPrice(now()) : prices.of(actor, channel);

  return {
    ...counts,
    /** The claim of a payment; null: it has none. */
    claim: (actor: string): CountedClaim | null => claims.get(actor) ?? null,
    /** Wei that are set aside for the registration of a payment; and in all, for those of which the claims are over. */
    asideOf: (actor: string): bigint => {
      const claim = claims.get(actor);
      return claim?.isOpen === true ? claim.wei : (held.get(actor) ?? 0n);
    },
    heldAside: () => heldWei,
    /** A registration that was promised is sent, and has ended. */
    begin: (actor: string): void => void underWay.add(actor),
    end(actor: string): void {
      underWay.delete(actor);
      hold(actor, 0n);
    },
    /** What the payment claims has changed; null: it claims nothing. */
    noteClaim: (actor: string, found: Claim | null) => note(actor, found, false),
    /** Whether there are claims of which it was not known what they are worth. */
    isUndecided: () => undecided.size > 0,
    /** Decides anew on the claims of which it was not known what they are worth. */
    decide(): void {
      const all = [...undecided];
      undecided.clear();
      for (const [actor, found] of all) note(actor, found, true);
    },
  };
}
