/** How much gas channels may still take, and what of it was promised: the sums, and what each channel adds to them. */
import type { Address } from '../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { ChannelFacts } from './channel-facts.ts';
import type { ClaimCounts, Count } from './claim-counts.ts';
import {
  type ChannelBurden,
  gasOf,
  gasOfRegistrations,
  gasPromised,
  weiFor,
} from './gas/gas-reserve.ts';
import type { TokenWorth, WorthOptions } from './token-worth.ts';

/**
 * Gas of a channel: all that it may still take; `own`: the same if this node has put money into it, else 0; what was
 * promised of it, and of that for locks that mean little, and for partners with whom this node has put no money into a
 * channel.
 */
export type Gas = { all: bigint; own: bigint; promised: bigint; small: bigint; strange: bigint };
export const NOTHING: Gas = { all: 0n, own: 0n, promised: 0n, small: 0n, strange: 0n };
/** Updates for strangers leave so many times as much money as they take. */
const OTHERS = 3n;

type Known = { facts: ChannelFacts; gas: Gas };
type Options = Pick<WorthOptions, 'money'> & {
  isWorth: TokenWorth['isWorth'];
  isStranger(partner: Address): boolean;
  claims: Pick<ClaimCounts, 'inChannel' | 'keptIn'>;
};

export function createChannelGas({ isWorth, isStranger, claims, money }: Options) {
  const sum = { ...NOTHING };
  /** Channels whose update was promised when there was money for it, besides those with claims. */
  const updates = new Set<string>();

  /** `moreLocks`: further locks of either side, which may bring a balance proof. */
  function gasIn(id: string, facts: ChannelFacts, count: Count, moreLocks = 0): Gas {
    const mayUpdate = facts.mayUpdate || moreLocks > 0;
    const isUpdated = mayUpdate && (count.all + claims.keptIn(id) > 0 || updates.has(id));
    const promised = gasPromised({ registrations: count.all, isUpdated });
    const small = gasOfRegistrations({ registrations: count.small });
    const strange = isStranger(facts.partner) ? promised : 0n;
    const all = gasOf(burdenOf(facts, count, moreLocks));
    return { all, own: facts.funded > 0n ? all : 0n, promised, small, strange };
  }

  /**
   * Promises an update of what the partner has paid, if it is worth it and there is money: nobody can refuse to be paid, so
   * that what a partner has paid must not take the gas of what was promised before. Strangers get a quarter of
   * the money for it, so that as much is left for locks of strangers.
   */
  function promiseUpdate(id: string, { mayUpdate, proven, token, partner }: ChannelFacts): void {
    const isWanted = mayUpdate && proven > 0n;
    if (!isWanted) updates.delete(id);
    // This is asked at each change of a channel: most were promised, or are worth nothing.
    if (!isWanted || updates.has(id)) return;
    if (isWorth(proven, token, GAS_ESTIMATES.updateProof) !== true) return;
    const known = money?.() ?? null;
    if (known === null) return;
    const left = isStranger(partner) ? OTHERS * (sum.strange + GAS_ESTIMATES.updateProof) : 0n;
    const gas = sum.promised + GAS_ESTIMATES.updateProof + left;
    if (known.spare >= weiFor(gas, known.price)) updates.add(id);
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
    gasIn,
    /** Counts a channel anew, whose state or claims have changed: answers its gas from now on. */
    recount(id: string, { facts, gas: before }: Known): Gas {
      add(before, -1n);
      promiseUpdate(id, facts);
      const gas = gasIn(id, facts, claims.inChannel(id));
      add(gas, 1n);
      return gas;
    },
    /** The promises if one more secret of the channel's partner may have to be registered. */
    withOneMore(
      id: string,
      { facts, gas }: Known,
      isSmall: boolean,
    ): { all: bigint; small: bigint } {
      const count = claims.inChannel(id);
      const next = gasIn(
        id,
        facts,
        { all: count.all + 1, small: count.small + Number(isSmall) },
        1,
      );
      return {
        all: sum.promised - gas.promised + next.promised,
        small: sum.small - gas.small + next.small,
      };
    },
    /** All updates that were promised are to be promised anew, as far as there is money. */
    forgetUpdates: (): void => updates.clear(),
    /** The channel is gone. */
    remove(id: string, gas: Gas): void {
      add(gas, -1n);
      updates.delete(id);
    },
  };
}

function burdenOf(facts: ChannelFacts, { all: registrations }: Count, more: number): ChannelBurden {
  const { tags, ownLocks, partnerLocks } = facts;
  const isClaimable = facts.isClaimable || registrations > 0;
  const locks = { ownLocks: ownLocks + more, partnerLocks: partnerLocks + more };
  return { tags, ...locks, registrations, isClaimable };
}
