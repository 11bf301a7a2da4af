/**
 * How much gas channels may still take, and what was set aside for what of it was promised: the sums, and what each channel
 * adds to them.
 */
import type { Address } from '../../basics/hex.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { ForcedRow } from '../../store/batch.ts';
import type { ChannelFacts } from './channel-facts.ts';
import type { Aside, ClaimCounts, Count } from './claim-counts.ts';
import {
  type ChannelBurden,
  gasOf,
  gasOfRegistrations,
  weiAside,
  weiFor,
} from './gas/gas-reserve.ts';
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
 * An update that was promised, with what is set aside for it, in wei: what it costs at the price of then, with a margin. A
 * price that rises later takes no promise back. `isPaid`: there is no lock any more that it was promised with.
 */
type Update = { wei: bigint; isPaid: boolean };
/** Until when a row stays that says that an update was promised: until it is not any more. */
const [FOREVER, NO_LONGER] = [2n ** 52n, 0n];
const PREFIX = 'update ';

type Known = { facts: ChannelFacts; gas: Gas };
type Options = Pick<WorthOptions, 'money'> & {
  isWorth: TokenWorth['isWorth'];
  isStranger(partner: Address): boolean;
  claims: Pick<ClaimCounts, 'inChannel' | 'keptIn' | 'asideIn'> & { heldAside(): bigint };
  /** The updates that were promised before this process started. */
  rows: readonly ForcedRow[];
};

export function createChannelGas({ isWorth, isStranger, claims, money, rows }: Options) {
  const sum = { ...NOTHING };
  const updates = new Map<string, Update>();
  // What gas cost when they were promised is forgotten.
  for (const { account } of rows)
    if (account.startsWith(PREFIX))
      updates.set(account.slice(PREFIX.length), { wei: 0n, isPaid: true });
  /** Those that began or ended since they were written last. */
  const unwritten = new Set<string>();

  const hasClaims = (id: string) => claims.inChannel(id).all + claims.keptIn(id) > 0;
  const promised = () => sum.promised + claims.heldAside();
  const weiOf = (gas: bigint) => weiAside(gas, money?.() ?? null);

  function set(id: string, next: Update | null): void {
    if (updates.has(id) !== (next !== null)) unwritten.add(id);
    if (next === null) updates.delete(id);
    else updates.set(id, next);
  }

  const updateOf = (id: string, { mayUpdate }: ChannelFacts): bigint =>
    mayUpdate ? (updates.get(id)?.wei ?? 0n) : 0n;

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
    const wei = known?.wei || weiOf(GAS_ESTIMATES.updateProof);
    if (hasClaims(id)) {
      if (known?.isPaid !== false || known.wei !== wei) set(id, { wei, isPaid: false });
      return;
    }
    const isWanted = mayUpdate && proven > 0n;
    // This is asked at each change of a channel: most were promised, or are worth nothing.
    if (isWanted && known?.isPaid === true && known.wei === wei) return;
    const worth = isWanted && isWorth(proven, token, GAS_ESTIMATES.updateProof);
    // Null: nobody knows what gas costs now.
    const isPromised =
      known === undefined ? worth === true && isThereMoney(facts) : worth !== false;
    if (isPromised || known !== undefined) set(id, isPromised ? { wei, isPaid: true } : null);
  }

  /** For one more update. A stranger gets a quarter of the money for it, so that as much is left for locks of strangers. */
  function isThereMoney({ partner }: ChannelFacts): boolean {
    const known = money?.() ?? null;
    if (known === null) return false;
    const wei = weiFor(GAS_ESTIMATES.updateProof, known.price);
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
      const registration = weiOf(gasOfRegistrations({ registrations: 1 }));
      const known = updateOf(id, facts);
      const update = known === 0n ? weiOf(GAS_ESTIMATES.updateProof) : 0n;
      const small = isSmall ? sum.small + registration : sum.small;
      return { all: promised() + registration + update, small };
    },
    updateOf,
    isUpdatePromised: (id: string, facts: ChannelFacts): boolean =>
      facts.mayUpdate && updates.has(id),
    /** The rows of the updates that began to be promised, or are promised no more, since this was asked last. */
    changed(): ForcedRow[] {
      const rows = [...unwritten].map((id): ForcedRow => {
        return { account: `update ${id}`, fullBlock: updates.has(id) ? FOREVER : NO_LONGER };
      });
      unwritten.clear();
      return rows;
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
