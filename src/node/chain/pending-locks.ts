/**
 * What is pending in all channels, kept in memory: which secrets the partners can make this node register on chain, and
 * how much gas those and the channels would cost. It is filled at the start and updated by every event that changes an
 * actor, at that moment: the changes of the open batch are in it already.
 *
 * Anybody can open channels with this node, and pay, lock or deposit next to nothing in each. So locks are refused by what
 * was promised alone: else anybody could cheaply make this node refuse everything.
 */
import { channelTags, mediatorTags } from '../../../machines/tags.ts';
import type { Address } from '../../basics/hex.ts';
import { createTally } from '../../basics/tally.ts';
import type { ForcedRow } from '../../store/base/batch.ts';
import { kindOf, type StoredState } from '../runtime/actors/kinds.ts';
import { type ChannelFacts, channelFacts } from './channel-facts.ts';
import { createChannelGas, type Gas, NOTHING } from './channel-gas.ts';
import { createClaimBook } from './claim-book.ts';
import type { Aside } from './claim-counts.ts';
import { type Claim, claimOf } from './claims.ts';
import { REGISTRATION } from './gas/gas-budgets.ts';
import { gasOf, NEW_CHANNEL } from './gas/gas-reserve.ts';
import { createClaimPrices } from './promise-prices.ts';
import { createTokenWorth, type WorthOptions } from './token-worth.ts';

export type PendingLocks = ReturnType<typeof createPendingLocks>;
type Channel = { facts: ChannelFacts; gas: Gas };

/** `forced`: the accounts of gas that were written before this process started. */
type Options = WorthOptions & { forced?: readonly ForcedRow[]; nowBlock?(): bigint };

export function createPendingLocks({ forced: rows = [], ...options }: Options = {}) {
  const channels = new Map<string, Channel>();
  const ofToken = new Map<Address, Set<string>>();
  const fundedWith = createTally<Address>();
  const isStranger = (partner: Address) => fundedWith.get(partner) === 0;
  const worth = createTokenWorth(options);
  const prices = createClaimPrices(rows);
  const {
    add: _,
    noteClaim,
    decide,
    ...claims
  } = createClaimBook({
    standingOf: (claim) => ({
      isSmall: worth.isSmall(claim.amount, claim.token),
      isDust: isDust(claim),
      isStranger: isStranger(claim.partner),
    }),
    price: () => options.money?.()?.price ?? 0n,
    prices,
    isKnown: () => (options.money?.() ?? null) !== null,
    onChanged: recount,
  });
  const waiting = new Set<string>();
  const gas = createChannelGas({ ...options, ...worth, isStranger, claims, rows });
  const { sum } = gas;
  let unclosed = 0;

  /** Counts the gas of a channel anew, after its state or the claims in it have changed. */
  function recount(id: string) {
    const channel = channels.get(id);
    if (channel === undefined) return;
    channel.gas = gas.recount(id, channel);
  }

  function recountAll(ids: Iterable<string> = []) {
    for (const id of ids) recount(id);
  }

  function noteChannel(id: string, next: ChannelFacts | undefined) {
    const before = channels.get(id);
    const known = next ?? before?.facts;
    if (known === undefined) return;
    const { token, partner } = known;
    const wasMoney = worth.isMoney(token);
    worth.change(token, before?.facts, next);
    fundedWith.add(partner, Number(isFunded(next)) - Number(isFunded(before?.facts)));
    unclosed += Number(isThere(next)) - Number(isThere(before?.facts));
    if (next === undefined) remove(id, token);
    else if (before === undefined) insert(id, next);
    else before.facts = next;
    recount(id);
    // Then all channels of the token count for more, or for less, than before.
    if (worth.isMoney(token) !== wasMoney) recountAll(ofToken.get(token));
  }

  function insert(id: string, facts: ChannelFacts) {
    channels.set(id, { facts, gas: NOTHING });
    const others = ofToken.get(facts.token);
    if (others === undefined) ofToken.set(facts.token, new Set([id]));
    else others.add(id);
  }

  function remove(id: string, token: Address) {
    const channel = channels.get(id);
    if (channel !== undefined) gas.remove(id, channel.gas);
    prices.remove(id);
    channels.delete(id);
    const others = ofToken.get(token);
    if (others?.delete(id) && others.size === 0) ofToken.delete(token);
  }

  function choose(token: Address) {
    const wasMoney = worth.isMoney(token);
    worth.choose(token);
    if (!wasMoney) recountAll(ofToken.get(token));
  }

  const isDust = ({ amount, token }: Pick<Claim, 'amount' | 'token'>) =>
    worth.isWorth(amount, token, REGISTRATION) === false;
  const channel = (id: string): ChannelFacts | null => channels.get(id)?.facts ?? null;

  return {
    ...claims,
    isMoney: worth.isMoney,
    isChosen: worth.isChosen,
    isSmall: worth.isSmall,
    worthOf: worth.worthOf,
    guessOf: worth.guessOf,
    isWorth: worth.isWorth,
    /** Whether the amount is not worth the gas of a registration. */
    isDust,
    /** Whether this node itself has put no money into any channel with the partner. */
    isStranger,
    channel,
    /** Whether an update of the channel's balance proof was promised. */
    isUpdatePromised(id: string): boolean {
      const facts = channel(id);
      return facts !== null && gas.isUpdatePromised(id, facts);
    },
    /** Wei that are set aside for the update of a channel, or the registration of a payment. */
    asideOf(actor: string): bigint {
      const facts = channel(actor);
      return facts === null ? claims.asideOf(actor) : gas.updateOf(actor, facts);
    },
    /** Rows of what was promised, or is no more, since this was asked last. */
    changedPrices: () => [...gas.changed(), ...prices.changed()],
    /** Called when an actor is spawned or its state has changed. */
    note(id: string, state: StoredState) {
      const { kind, value, context } = state;
      if (kind === 'channel') return noteChannel(id, channelFacts(channelTags(value), context));
      if (kind === 'tokenNetwork' && context.isChosen) return choose(context.token);
      if (kind !== 'target' && kind !== 'keeper' && kind !== 'mediator') return;
      noteClaim(id, claimOf(state, channel));
      if (kind === 'mediator' && mediatorTags(value).has('looksForHop')) waiting.add(id);
      else waiting.delete(id);
    },
    /** Called when an actor has ended. */
    forget(id: string) {
      if (kindOf(id) === 'channel') noteChannel(id, undefined);
      waiting.delete(id);
      noteClaim(id, null);
    },
    /** Gas that all channels may still cost; that of a new one when none can still be closed. */
    gas: () => sum.all + (unclosed > 0 ? 0n : gasOf(NEW_CHANNEL)),
    /** Gas that the channels may still cost that this node has put money into. */
    gasOfOwn: () => sum.own,
    /** What is set aside for what was promised, in wei: it is spent on nothing else; and the part of it for strangers. */
    promised: gas.promised,
    promisedToStrangers: () => sum.strange,
    /** Called when the money for gas is known; `isAgain`: and was not before. */
    reconsider(isAgain: boolean): void {
      recountAll(gas.relax());
      if (isAgain || claims.isUndecided()) decide();
      if (!isAgain) return;
      // Those first that this node has put money into.
      for (const isLate of [false, true])
        for (const [id, { facts }] of channels)
          if (isStranger(facts.partner) === isLate) recount(id);
    },
    /**
     * What would be set aside if one more secret of this channel's partner may have to be registered; `small`: the part of it
     * for locks that mean little.
     */
    promisedWithOneMore: (id: string, isSmall: boolean): Aside =>
      gas.withOneMore(id, channel(id), isSmall),
    /** The mediators that have not found a next node for their transfer yet. */
    waiting: (): readonly string[] => [...waiting],
  };
}

const isFunded = (facts: ChannelFacts | undefined) => facts !== undefined && facts.funded > 0n;

/** Whether the channel exists and can still be closed. */
const isThere = (facts: ChannelFacts | undefined) => facts?.tags.has('isUnclosed') === true;
