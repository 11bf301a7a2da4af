/**
 * What is pending in all channels, kept in memory: which secrets the partners can make this node register on chain, and
 * how much gas those and the channels would cost. It is filled at the start and updated by every event that changes an
 * actor, at that moment: the changes of the open batch are in it already.
 *
 * Anybody can open channels with this node, and pay or lock next to nothing in each. Such channels count in the whole
 * reserve, but locks are not refused for want of gas because of them: else anybody could cheaply make this node refuse
 * everything. What a partner merely locks is no stake: nothing is lost when it goes.
 */
import { channelTags, mediatorTags } from '../../../machines/tags.ts';
import type { Address } from '../../basics/hex.ts';
import { createTally } from '../../basics/tally.ts';
import { kindOf, type StoredState } from '../runtime/actors/kinds.ts';
import { type ChannelFacts, channelFacts } from './channel-facts.ts';
import { type Count, type CountedClaim, createClaimCounts } from './claim-counts.ts';
import { type Claim, claimOf } from './claims.ts';
import { type ChannelBurden, gasOf, gasOfRegistrations, NEW_CHANNEL } from './gas/gas-reserve.ts';
import { createTokenWorth } from './token-worth.ts';

export type PendingLocks = ReturnType<typeof createPendingLocks>;
/**
 * Gas that a channel may still take: in all, as far as something of this node is at stake, and the part of that for
 * locks that mean little.
 */
type Gas = { all: bigint; atStake: bigint; small: bigint };
type Channel = { facts: ChannelFacts; gas: Gas };

/** `values`: for each token that the operator has named, the wei that 10^18 of its smallest units are worth. */
export function createPendingLocks(values: ReadonlyMap<Address, bigint> = new Map()) {
  const channels = new Map<string, Channel>();
  const ofToken = new Map<Address, Set<string>>();
  const backedWith = createTally<Address>();
  const claims = new Map<string, CountedClaim>();
  const counts = createClaimCounts();
  const worth = createTokenWorth(values);
  const waiting = new Set<string>();
  const sum: Gas = { all: 0n, atStake: 0n, small: 0n };
  let unclosed = 0;

  /**
   * A channel in which little is at stake counts with its registrations only: those were promised, and are few.
   * `moreLocks`: further locks of either side.
   */
  function gasIn(facts: ChannelFacts, count: Count, moreLocks = 0): Gas {
    const all = gasOf(burdenOf(facts, count, moreLocks));
    const small = gasOfRegistrations({ registrations: count.small });
    const { stake, token } = facts;
    const isMuch = count.all > count.small || (stake > 0n && !worth.isSmall(stake, token));
    return { all, atStake: isMuch ? all : small, small };
  }

  function add({ all, atStake, small }: Gas, sign: 1n | -1n) {
    sum.all += sign * all;
    sum.atStake += sign * atStake;
    sum.small += sign * small;
  }

  /** Counts the gas of a channel anew, after its state or the claims in it have changed. */
  function recount(id: string) {
    const channel = channels.get(id);
    if (channel === undefined) return;
    add(channel.gas, -1n);
    channel.gas = gasIn(channel.facts, counts.inChannel(id));
    add(channel.gas, 1n);
  }

  function noteChannel(id: string, next: ChannelFacts | undefined) {
    const before = channels.get(id);
    const known = next ?? before?.facts;
    if (known === undefined) return;
    const { token, partner } = known;
    const wasMoney = worth.isMoney(token);
    worth.change(token, before?.facts, next);
    backedWith.add(partner, Number(isBacked(next)) - Number(isBacked(before?.facts)));
    unclosed += Number(isThere(next)) - Number(isThere(before?.facts));
    if (next === undefined) remove(id, token);
    else if (before === undefined) insert(id, next);
    else before.facts = next;
    recount(id);
    // Then all channels of the token count for more, or for less, than before.
    if (worth.isMoney(token) !== wasMoney) ofToken.get(token)?.forEach(recount);
  }

  function insert(id: string, facts: ChannelFacts) {
    channels.set(id, { facts, gas: { all: 0n, atStake: 0n, small: 0n } });
    const others = ofToken.get(facts.token);
    if (others === undefined) ofToken.set(facts.token, new Set([id]));
    else others.add(id);
  }

  function remove(id: string, token: Address) {
    const channel = channels.get(id);
    if (channel !== undefined) add(channel.gas, -1n);
    channels.delete(id);
    const others = ofToken.get(token);
    if (others?.delete(id) && others.size === 0) ofToken.delete(token);
  }

  function setClaim(id: string, next: CountedClaim | null) {
    const before = claims.get(id);
    if (before !== undefined) counts.add(before, -1);
    if (next !== null) counts.add(next, 1);
    if (next === null) claims.delete(id);
    else claims.set(id, next);
    for (const channel of new Set([before?.channel, next?.channel]))
      if (channel !== undefined) recount(channel);
  }

  function noteClaim(id: string, found: Claim | null) {
    const known = claims.get(id);
    if (found === null) {
      if (known !== undefined) setClaim(id, null);
      return;
    }
    if (known?.isOpen === found.isOpen && known.isForced === found.isForced) return;
    const isSmall = known?.isSmall ?? worth.isSmall(found.amount, found.token);
    const isStranger = known?.isStranger ?? backedWith.get(found.partner) === 0;
    setClaim(id, { ...found, isSmall, isStranger });
  }

  /** Adds to a sum of gas that of a new channel when no channel can still be closed. */
  const withChannel = (gas: bigint) => gas + (unclosed > 0 ? 0n : gasOf(NEW_CHANNEL));
  const channel = (id: string): ChannelFacts | null => channels.get(id)?.facts ?? null;

  return {
    ...counts,
    isSmall: worth.isSmall,
    worthOf: worth.worthOf,
    /** Whether this node has put no money into any channel with the partner. */
    isStranger: (partner: Address): boolean => backedWith.get(partner) === 0,
    /** What was decided of the actor's claim when it began. */
    standing(actor: string, partner: Address): Pick<CountedClaim, 'isStranger' | 'isSmall'> {
      const isStranger = backedWith.get(partner) === 0;
      return claims.get(actor) ?? { isStranger, isSmall: false };
    },
    channel,
    /** Called when an actor is spawned or its state has changed. */
    note(id: string, state: StoredState) {
      const { kind, value, context } = state;
      if (kind === 'channel') return noteChannel(id, channelFacts(channelTags(value), context));
      if (kind !== 'target' && kind !== 'keeper' && kind !== 'mediator') return;
      noteClaim(id, claimOf(state, channel));
      if (kind === 'mediator' && mediatorTags(value).has('looksForHop')) waiting.add(id);
      else waiting.delete(id);
    },
    /** Called when an actor has ended. */
    forget(id: string) {
      if (kindOf(id) === 'channel') noteChannel(id, undefined);
      waiting.delete(id);
      if (claims.has(id)) setClaim(id, null);
    },
    /** Gas that all channels may still cost. */
    gas: () => withChannel(sum.all),
    /** Gas that may still be needed for what is at stake. */
    gasAtStake: () => withChannel(sum.atStake),
    /** The gas at stake after one more channel is opened. */
    gasWithNewChannel: () => sum.atStake + gasOf(NEW_CHANNEL),
    /**
     * The gas at stake if one more secret of this channel's partner may have to be registered, with all that the channel
     * may take; `small`: the part of it for locks that mean little.
     */
    gasWithOneMore(id: string, isSmall: boolean): { all: bigint; small: bigint } {
      const known = channels.get(id);
      const all = withChannel(sum.atStake);
      if (known === undefined) return { all, small: sum.small };
      const { facts, gas } = known;
      const count = counts.inChannel(id);
      const more = { all: count.all + 1, small: count.small + Number(isSmall) };
      // The new lock may be added to either side of the channel.
      const next = gasIn(facts, more, 1);
      return { all: all - gas.atStake + next.all, small: sum.small - gas.small + next.small };
    },
    /** The mediators that have not found a next node for their transfer yet. */
    waiting: (): readonly string[] => [...waiting],
  };
}

function burdenOf(facts: ChannelFacts, { all: registrations }: Count, more: number): ChannelBurden {
  const { tags, ownLocks, partnerLocks } = facts;
  const isClaimable = facts.isClaimable || registrations > 0;
  const locks = { ownLocks: ownLocks + more, partnerLocks: partnerLocks + more };
  return { tags, ...locks, registrations, isClaimable };
}

const isBacked = (facts: ChannelFacts | undefined) => facts !== undefined && facts.deposited > 0n;

/** Whether the channel exists and can still be closed. */
const isThere = (facts: ChannelFacts | undefined) => facts?.tags.has('isUnclosed') === true;
