/**
 * How much gas channels may still take, and what was set aside for what of it was promised: the sums, and what each channel
 * adds to them.
 */
import { larger } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { ForcedRow } from '../../store/base/batch.ts';
import type { ChannelFacts } from './channel-facts.ts';
import type { Aside, ClaimCounts, Count } from './claim-counts.ts';
import { type ChannelBurden, gasOf, gasOfRegistrations, weiAside } from './gas/gas-reserve.ts';
import { priceRow, pricesIn } from './promise-prices.ts';
import type { TokenWorth, WorthOptions } from './token-worth.ts';

/**
 * Of a channel: all gas that it may still take; `own`: the same if this node has put money into it, else 0. In wei, what was
 * set aside for it, and of that for locks that mean little, and for partners with whom this node has put no money into a
 * channel.
 */
export type Gas = { all: bigint; own: bigint; promised: bigint; small: bigint; strange: bigint };
export const NOTHING: Gas = { all: 0n, own: 0n, promised: 0n, small: 0n, strange: 0n };
/** Updates for strangers leave so many times as much money as they take. */
const OTHERS = 3n;
/**
 * An update that was promised, at the price of a unit of gas for which money is set aside, in wei; 0: not known yet. A price
 * that rises later takes no promise back. It is the highest at which something was promised with the update: a lock, or what the
 * partner has paid; that is forgotten after a while (`sinceBlock`: null until somebody looks), and what was promised since
 * counts then (`newer`). `isPaid`: there is no lock any more.
 */
type Update = {
  price: bigint;
  newer: bigint;
  isPaid: boolean;
  claims: number;
  proven: bigint;
  sinceBlock: bigint | null;
};
/** Blocks after which a price that has fallen counts: as long as a lock may last. */
const FIXED = 1_000n;
const PREFIX = 'update ' as const;

type Known = { facts: ChannelFacts; gas: Gas };
type Options = Pick<WorthOptions, 'money'> & {
  isWorth: TokenWorth['isWorth'];
  isStranger(partner: Address): boolean;
  claims: Pick<ClaimCounts, 'inChannel' | 'keptIn' | 'asideIn'> & { heldAside(): bigint };
  /** The updates that were promised before this process started. */
  rows: readonly ForcedRow[];
  nowBlock?(): bigint;
};

export function createChannelGas({ isWorth, isStranger, claims, money, ...given }: Options) {
  const { nowBlock = () => 0n } = given;
  const sum = { ...NOTHING };
  const updates = new Map<string, Update>();
  for (const [id, price] of pricesIn(given.rows, PREFIX)) {
    const rest = { newer: 0n, isPaid: true, claims: 0, proven: 0n, sinceBlock: null };
    updates.set(id, { price, ...rest });
  }
  /** Those that are not as they were written last. */
  const unwritten = new Set<string>();

  const promised = () => sum.promised + claims.heldAside();
  const priceNow = () => money?.()?.price ?? 0n;
  const weiAt = (price: bigint) => weiAside(GAS_ESTIMATES.updateProof, price);

  function set(id: string, next: Update | null): void {
    if (updates.get(id)?.price !== next?.price) unwritten.add(id);
    if (next === null) updates.delete(id);
    else updates.set(id, next);
  }

  const updateOf = (id: string, { mayUpdate }: ChannelFacts): bigint =>
    mayUpdate ? weiAt(updates.get(id)?.price ?? 0n) : 0n;

  function gasIn(id: string, facts: ChannelFacts): Gas {
    const aside = claims.asideIn(id);
    const promised = aside.all + updateOf(id, facts);
    const strange = isStranger(facts.partner) ? promised : 0n;
    const all = gasOf(burdenOf(facts, claims.inChannel(id)));
    return { all, own: facts.funded > 0n ? all : 0n, promised, small: aside.small, strange };
  }

  /**
   * Promises an update of what the partner has paid, if it is worth it. Where it was promised with a lock it stays so: else
   * others could take its gas as soon as the lock is paid. Else there has to be money: nobody can refuse to be paid, so that
   * what a partner has paid must not take the gas of what was promised before.
   */
  function promiseUpdate(id: string, facts: ChannelFacts): void {
    const { mayUpdate, proven, token } = facts;
    const known = updates.get(id);
    const count = claims.inChannel(id).all + claims.keptIn(id);
    const now = priceNow();
    const price = larger(known?.price ?? 0n, now);
    const isDearest = price === now;
    const since = isDearest ? null : (known?.sinceBlock ?? null);
    const newer = isDearest ? 0n : larger(known?.newer ?? 0n, now);
    const anew = { price, newer, isPaid: count === 0, claims: count, proven, sinceBlock: since };
    if (count > 0) {
      // For each lock there was money at the price of then.
      const isMore = known === undefined || count > known.claims || known.price === 0n;
      set(id, isMore ? anew : { ...known, isPaid: false, claims: count });
      return;
    }
    const isWanted = mayUpdate && proven > 0n;
    const isAsBefore = known?.isPaid === true && known.price > 0n && proven <= known.proven;
    // This is asked at each change of a channel: most were promised, or are worth nothing.
    if (isWanted && isAsBefore) return;
    const worth = isWanted && isWorth(proven, token, GAS_ESTIMATES.updateProof);
    if (known === undefined) {
      if (worth === true && isThereMoney(facts, 0n)) set(id, anew);
      return;
    }
    // What was found to be worth it once stays promised, whatever gas costs now. Null: nobody knows that.
    // After a start the locks of a channel are counted later than the channel.
    const isOver = now > 0n && (!isWanted || (worth === false && !known.isPaid));
    const isRaised =
      known.price === 0n || (worth !== false && isThereMoney(facts, weiAt(known.price)));
    const next = isRaised ? anew : { ...known, isPaid: true, claims: 0 };
    set(id, isOver ? null : next);
  }

  /**
   * For one more update, of which so much is set aside already. A stranger gets a quarter of the money for it, so that as much is
   * left for locks of strangers.
   */
  function isThereMoney({ partner }: ChannelFacts, aside: bigint): boolean {
    const known = money?.() ?? null;
    if (known === null) return false;
    const wei = larger(0n, weiAt(known.price) - aside);
    const left = isStranger(partner) ? OTHERS * (sum.strange + wei) : 0n;
    return known.spare >= promised() + wei + left;
  }

  function add({ all, own, promised, small, strange }: Gas, sign: 1n | -1n) {
    sum.all += sign * all;
    sum.own += sign * own;
    sum.promised += sign * promised;
    sum.small += sign * small;
    sum.strange += sign * strange;
  }

  return {
    sum,
    /** Counts a channel anew, whose state or claims have changed: answers its gas from now on. */
    recount(id: string, { facts, gas: before }: Known): Gas {
      add(before, -1n);
      promiseUpdate(id, facts);
      const gas = gasIn(id, facts);
      add(gas, 1n);
      return gas;
    },
    /** What is set aside for what was promised, also for what is under way though its claim is over. */
    promised,
    /** What is set aside, if one more secret of the channel's partner may have to be registered. */
    withOneMore(id: string, facts: ChannelFacts | null, isSmall: boolean): Aside {
      if (facts === null) return { all: promised(), small: sum.small };
      const price = priceNow();
      const registration = weiAside(gasOfRegistrations({ registrations: 1 }), price);
      const update = larger(0n, weiAt(price) - updateOf(id, facts));
      const small = isSmall ? sum.small + registration : sum.small;
      return { all: promised() + registration + update, small };
    },
    updateOf,
    isUpdatePromised: (id: string, facts: ChannelFacts): boolean =>
      facts.mayUpdate && updates.has(id),
    /** The rows of the updates that are not as before, since this was asked last. */
    changed(): ForcedRow[] {
      const rows = [...unwritten].map((id) =>
        priceRow(`${PREFIX}${id}`, updates.get(id)?.price ?? null),
      );
      unwritten.clear();
      return rows;
    },
    /** Counts a price that has fallen, for what was promised long ago; answers the channels that are to be counted anew. */
    relax(): string[] {
      const now = priceNow();
      const old: string[] = [];
      for (const [id, one] of updates) {
        one.sinceBlock ??= nowBlock();
        const price = larger(now, one.newer);
        if (now === 0n || price >= one.price || one.sinceBlock + FIXED > nowBlock()) continue;
        set(id, { ...one, price, newer: 0n, sinceBlock: null });
        old.push(id);
      }
      return old;
    },
    /** The channel is gone. */
    remove(id: string, gas: Gas): void {
      add(gas, -1n);
      set(id, null);
    },
  };
}

function burdenOf(facts: ChannelFacts, { all: registrations }: Count): ChannelBurden {
  const { tags, ownLocks, partnerLocks } = facts;
  const isClaimable = facts.isClaimable || registrations > 0;
  return { tags, ownLocks, partnerLocks, registrations, isClaimable };
}
