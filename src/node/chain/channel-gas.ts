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
/**
 * What an update was promised with. `lock`: a lock whose secret may have to be registered; it stays promised when that is
 * paid. `paid`: what the partner paid when there was money for it.
 */
type With = 'lock' | 'paid lock' | 'paid';

type Known = { facts: ChannelFacts; gas: Gas };
type Options = Pick<WorthOptions, 'money'> & {
  isWorth: TokenWorth['isWorth'];
  isStranger(partner: Address): boolean;
  claims: Pick<ClaimCounts, 'inChannel' | 'keptIn'>;
};

export function createChannelGas({ isWorth, isStranger, claims, money }: Options) {
  const sum = { ...NOTHING };
  const updates = new Map<string, With>();

  const hasClaims = (id: string) => claims.inChannel(id).all + claims.keptIn(id) > 0;

  /** `moreLocks`: further locks of either side, which may bring a balance proof. */
  function gasIn(id: string, facts: ChannelFacts, count: Count, moreLocks = 0): Gas {
    const isUpdated = moreLocks > 0 || (facts.mayUpdate && updates.has(id));
    const promised = gasPromised({ registrations: count.all, isUpdated });
    const small = gasOfRegistrations({ registrations: count.small });
    const strange = isStranger(facts.partner) ? promised : 0n;
    const all = gasOf(burdenOf(facts, count, moreLocks));
    return { all, own: facts.funded > 0n ? all : 0n, promised, small, strange };
  }

  /**
   * Promises an update of what the partner has paid, if it is worth it. Where it was promised with a lock it stays so: else
   * others could take its gas as soon as the lock is paid. Else there has to be money: nobody can refuse to be paid, so that
   * what a partner has paid must not take the gas of what was promised before.
   */
  function promiseUpdate(id: string, facts: ChannelFacts, isAnew: boolean): void {
    const { mayUpdate, proven, token } = facts;
    const known = updates.get(id);
    if (hasClaims(id)) return void (known !== 'lock' && updates.set(id, 'lock'));
    const isWanted = mayUpdate && proven > 0n;
    // This is asked at each change of a channel: most were promised, or are worth nothing.
    if (isWanted && (known === 'paid lock' || known === 'paid')) return;
    updates.delete(id);
    const worth = isWanted && isWorth(proven, token, GAS_ESTIMATES.updateProof);
    // Null: nobody knows what gas costs now.
    if (known === 'lock' && worth !== false) updates.set(id, 'paid lock');
    else if (worth === true && isThereMoney(facts, isAnew)) updates.set(id, 'paid');
  }

  /**
   * For one more update. A stranger gets a quarter of the money for it, so that as much is left for locks of strangers;
   * `isAnew`: half, since it may have been promised before.
   */
  function isThereMoney({ partner }: ChannelFacts, isAnew: boolean): boolean {
    const known = money?.() ?? null;
    if (known === null) return false;
    const times = isAnew ? 1n : OTHERS;
    const left = isStranger(partner) ? times * (sum.strange + GAS_ESTIMATES.updateProof) : 0n;
    const gas = sum.promised + GAS_ESTIMATES.updateProof + left;
    return known.spare >= weiFor(gas, known.price);
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
    /**
     * Counts a channel anew, whose state or claims have changed: answers its gas from now on. `isAnew`: see
     * `forgetUpdates`.
     */
    recount(id: string, { facts, gas: before }: Known, isAnew = false): Gas {
      add(before, -1n);
      promiseUpdate(id, facts, isAnew);
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
    /** The updates of what was paid are to be promised anew, as far as there is money. */
    forgetUpdates(): void {
      for (const [id, promised] of updates) if (promised === 'paid') updates.delete(id);
    },
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
