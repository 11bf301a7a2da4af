/**
 * What is pending in all channels, kept in memory: which secrets the partners can make this node register on chain, and
 * how much gas those and the channels would cost. It is filled at the start and updated by every event that changes an
 * actor, at that moment: the changes of the open batch are in it already.
 *
 * A lock of the partner counts while this node may have to register its secret: the node passed the transfer on, or
 * requested the secret as the target, and the lock is neither paid nor its secret on chain. A lock that is only kept
 * until it expires, such as a transfer that nobody takes, binds nothing.
 *
 * Anybody can open channels with this node and pay dust into each. Such channels count in the whole reserve, but locks
 * are not refused for want of gas because of them: else anybody could cheaply make this node refuse everything.
 */
import {
  keeperRegistration,
  looksForHop,
  mediatorRegistration,
  targetRegistration,
} from '../../../machines/answering.ts';
import type { ChannelContext } from '../../../machines/channel/context.ts';
import { isOpen as isOpenChannel, isUnclosed } from '../../../machines/channel/phase.ts';
import type { KeeperContext } from '../../../machines/keeper/chart.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import type { TargetContext } from '../../../machines/target/chart.ts';
import { balance } from '../../protocol/channel-end.ts';
import type { Address } from '../../protocol/hex.ts';
import { kindOf, type StoredState, stateText } from '../runtime/kinds.ts';
import { createTally } from '../runtime/tally.ts';
import { type ChannelBurden, gasOf, NEW_CHANNEL } from './gas-reserve.ts';

export type PendingLocks = ReturnType<typeof createPendingLocks>;

type Channel = Omit<ChannelBurden, 'registrations'> & {
  token: Address;
  partner: Address;
  revealTimeout: bigint;
  /**
   * What this node owns in the channel, in the token's smallest unit; `funds` is the same while the channel is open,
   * else 0.
   */
  held: bigint;
  funds: bigint;
  gas: bigint;
  /** Whether what this node can claim from the channel is worth the gas. */
  isAtStake: boolean;
};
type Found = Omit<Channel, 'gas' | 'isAtStake'>;
/** A payment whose secret may have to be registered, or has been. */
type Claim = {
  channel: string;
  partner: Address;
  token: Address;
  amount: bigint;
  /** Whether the registration is still to be paid for. */
  isOpen: boolean;
  /** Whether the registration has been asked for, because the payer has not unlocked in time. */
  isForced: boolean;
  /** Blocks that are reserved for the registration. */
  revealTimeout: bigint;
  isDust: boolean;
};

/** A lock is dust when it is less than one DUST_PART-th of what this node has in the channels of its token. */
const DUST_PART = 1_600n;

export function createPendingLocks() {
  const channels = new Map<string, Channel>();
  const claims = new Map<string, Claim>();
  const waiting = new Set<string>();
  const ofChannel = createTally<string>();
  const ofPartner = createTally<Address>();
  const dustOf = createTally<Address>();
  const forcedBy = createTally<Address>();
  const timeouts = createTally<bigint>();
  const funds = new Map<Address, bigint>();
  let gas = 0n;
  let gasAtStake = 0n;
  let unclosed = 0;
  let open = 0;
  let dust = 0;

  function burdenOf(id: string, channel: Found, more = 0): ChannelBurden {
    const registrations = ofChannel.get(id) + more;
    const { state, ownLocks, partnerLocks } = channel;
    const isClaimable = channel.isClaimable || registrations > 0;
    return { state, ownLocks, partnerLocks, registrations, isClaimable };
  }

  const fundsIn = (token: Address) => funds.get(token) ?? 0n;
  const addFunds = (token: Address, more: bigint) => funds.set(token, fundsIn(token) + more);
  const isDust = (amount: bigint, token: Address) => amount * DUST_PART < fundsIn(token);

  const hasStake = ({ held, token, ownLocks, partnerLocks }: Found) =>
    ownLocks + partnerLocks > 0 || (held > 0n && !isDust(held, token));

  /** Counts the channel with this id anew, after its state or the claims in it have changed. */
  function recount(id: string, next: Found | undefined) {
    const before = channels.get(id);
    if (before !== undefined) {
      gas -= before.gas;
      gasAtStake -= before.isAtStake ? before.gas : 0n;
      unclosed -= isUnclosed(before.state) ? 1 : 0;
      addFunds(before.token, -before.funds);
      channels.delete(id);
    }
    if (next === undefined) return;
    addFunds(next.token, next.funds);
    const now = countedAs(next, gasOf(burdenOf(id, next)), hasStake(next));
    gas += now.gas;
    gasAtStake += now.isAtStake ? now.gas : 0n;
    unclosed += isUnclosed(now.state) ? 1 : 0;
    channels.set(id, now);
  }

  function count(claim: Claim, sign: 1 | -1) {
    const { channel, partner, revealTimeout } = claim;
    if (claim.isForced) forcedBy.add(partner, sign);
    if (!claim.isOpen) return;
    ofChannel.add(channel, sign);
    ofPartner.add(partner, sign);
    timeouts.add(revealTimeout, sign);
    open += sign;
    if (!claim.isDust) return;
    dustOf.add(partner, sign);
    dust += sign;
  }

  function setClaim(id: string, next: Claim | null) {
    const before = claims.get(id);
    if (before !== undefined) count(before, -1);
    if (next !== null) count(next, 1);
    if (next === null) claims.delete(id);
    else claims.set(id, next);
    for (const channel of new Set([before?.channel, next?.channel]))
      if (channel !== undefined) recount(channel, channels.get(channel));
  }

  function noteClaim(id: string, found: Omit<Claim, 'isDust'> | null) {
    const known = claims.get(id);
    if (found === null) {
      if (known !== undefined) setClaim(id, null);
      return;
    }
    if (known?.isOpen === found.isOpen && known.isForced === found.isForced) return;
    // Whether a claim is dust is decided when it begins, because the funds go up and down.
    setClaim(id, { ...found, isDust: known?.isDust ?? isDust(found.amount, found.token) });
  }

  /** Adds to a sum of gas that of a new channel when no channel can still be closed. */
  const withChannel = (sum: bigint) => sum + (unclosed > 0 ? 0n : gasOf(NEW_CHANNEL));

  return {
    /** Called when an actor is spawned or its state has changed. */
    note(id: string, { kind, value, context }: StoredState) {
      switch (kind) {
        case 'channel':
          return recount(id, channelOf(stateText(value), context));
        case 'target':
          return noteClaim(id, targetClaim(stateText(value), context));
        case 'keeper':
          return noteClaim(
            id,
            keeperClaim(stateText(value), context, channels.get(context.channel)),
          );
        case 'mediator':
          noteClaim(id, mediatorClaim(stateText(value), context));
          if (looksForHop(stateText(value))) waiting.add(id);
          else waiting.delete(id);
      }
    },
    /** Called when an actor has ended. */
    forget(id: string) {
      if (kindOf(id) === 'channel') recount(id, undefined);
      waiting.delete(id);
      if (claims.has(id)) setClaim(id, null);
    },
    /** Gas that all channels may still cost. */
    gas: () => withChannel(gas),
    /** Gas that the channels in which something is at stake may still cost. */
    gasAtStake: () => withChannel(gasAtStake),
    /** The gas at stake after one more channel is opened. */
    gasWithNewChannel: () => gasAtStake + gasOf(NEW_CHANNEL),
    /** The gas at stake if one more secret of this channel's partner may have to be registered. */
    gasWithOneMore(channel: string): bigint {
      const known = channels.get(channel);
      const whole = withChannel(gasAtStake);
      if (known === undefined) return whole;
      // The new lock may be added to either side of the channel.
      const locks = { ownLocks: known.ownLocks + 1, partnerLocks: known.partnerLocks + 1 };
      const counted = known.isAtStake ? known.gas : 0n;
      return whole - counted + gasOf({ ...burdenOf(channel, known, 1), ...locks });
    },
    /** How many secrets may have to be registered: of all locks, and (`of`) of one partner's locks. */
    all: () => ({ count: open, dust }),
    of: (partner: Address) => ({ count: ofPartner.get(partner), dust: dustOf.get(partner) }),
    /** Locks of the partner whose secrets this node had to register on chain, and that are not paid yet. */
    forcedBy: (partner: Address) => forcedBy.get(partner),
    /** The smallest of the given reveal timeout and those of the secrets that may have to be registered. */
    leastRevealTimeout: (given: bigint): bigint =>
      timeouts.keys().reduce((least, one) => (least < one ? least : one), given),
    channel: (id: string): { token: Address; revealTimeout: bigint } | null =>
      channels.get(id) ?? null,
    /** Whether this amount of the token is dust, measured by what this node has in its open channels. */
    isDust,
    /** The mediators that have not found a next node for their transfer yet. */
    waiting: (): readonly string[] => [...waiting],
  };
}

/** Each field by name: to copy all of them takes as long as everything else that is done for a channel here. */
function countedAs(found: Found, gas: bigint, isAtStake: boolean): Channel {
  return {
    state: found.state,
    token: found.token,
    partner: found.partner,
    revealTimeout: found.revealTimeout,
    ownLocks: found.ownLocks,
    partnerLocks: found.partnerLocks,
    isClaimable: found.isClaimable,
    held: found.held,
    funds: found.funds,
    gas,
    isAtStake,
  };
}

function channelOf(state: string, context: ChannelContext): Found {
  const { ownEnd, partnerEnd, registered, token, partner, revealTimeout } = context;
  const held = balance(ownEnd, partnerEnd);
  return {
    state,
    token,
    partner,
    revealTimeout,
    ownLocks: ownEnd.locks.length,
    partnerLocks: partnerEnd.locks.length,
    isClaimable: registered.length > 0,
    held,
    funds: isOpenChannel(state) ? held : 0n,
  };
}

/** The claim on the payer while it has not paid: its secret may have to be registered, or had to be. */
function mediatorClaim(state: string, context: MediatorContext): Omit<Claim, 'isDust'> | null {
  const { payer, payee, token, amount, jobs } = context;
  const registration = mediatorRegistration(state);
  if (payee === null || registration === null) return null;
  const { channel, partner, revealTimeout } = payer;
  const isOpen = registration === 'ahead';
  if (!isOpen && jobs === 0) return null;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}

function targetClaim(state: string, context: TargetContext): Omit<Claim, 'isDust'> | null {
  const { channel, payer: partner, token, amount, revealTimeout, jobs } = context;
  const registration = targetRegistration(state);
  const isOpen = registration === 'ahead';
  if (registration === null || (!isOpen && jobs === 0)) return null;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}

/** The claim for a partner's lock without a payment; the secret of a lock that nobody can explain is registered. */
function keeperClaim(
  state: string,
  { channel, amount, jobs, isUnexplained }: KeeperContext,
  known: Channel | undefined,
): Omit<Claim, 'isDust'> | null {
  const registration = keeperRegistration(state, isUnexplained);
  const isOpen = registration === 'ahead';
  if (known === undefined || registration === null || (!isOpen && jobs === 0)) return null;
  const { partner, token, revealTimeout } = known;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}
