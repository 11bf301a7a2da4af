/**
 * Deposits that match those of partners: the free funds of a join go into channels that others open with this node
 * later. Each gets as much as its partner put in, but at most one share, and no tiny amounts. Protocol 8.
 */

import { inOrder } from '../base/step.ts';
import type { Effect } from '../effects.ts';
import type { TransactionEnded } from '../events/chain.ts';
import type { PartnerDeposit } from '../events/notices.ts';
import {
  type JoinedConnection,
  type Match,
  type NetworkStep,
  on,
  refunded,
  type TokenNetworkContext,
} from './context.ts';

const NOTHING: NetworkStep = { patch: {}, effects: [] };
/**
 * A matching deposit adds at least this part of a share, or all that is free. Partners decide how often they deposit,
 * and each match costs this account gas: without a bound, tiny deposits would use up the gas that closes and
 * settlements need.
 */
const LEAST_PART = 10n;

/**
 * A partner deposited. This node matches it now, or when its transaction for the same channel has ended, or not at
 * all.
 */
export function matched(network: TokenNetworkContext, offer: PartnerDeposit): NetworkStep {
  const { openings, matches, connection } = network;
  if (openings.some(({ channel }) => channel === offer.channel)) {
    const note = openings.map((one) => (one.channel === offer.channel ? { ...one, offer } : one));
    return { patch: { openings: note }, effects: [] };
  }
  if (matches.some(({ channel }) => channel === offer.channel)) {
    const note = matches.map((one) => (one.channel === offer.channel ? { ...one, offer } : one));
    return { patch: { matches: note }, effects: [] };
  }
  if (connection === null || !isLater(connection, offer)) return NOTHING;
  const added = missing(connection, offer);
  return isWorthGas(connection, added) ? submit(network, connection, offer, added) : NOTHING;
}

function isWorthGas({ share, free }: JoinedConnection, added: bigint): boolean {
  return added > 0n && (added === free || added * LEAST_PART >= share);
}

function isLater(
  { sinceBlock, own }: JoinedConnection,
  { openBlock, channel }: PartnerDeposit,
): boolean {
  return openBlock > sinceBlock && !own.includes(channel);
}

/** The amount to add; 0 or less when this node has deposited enough, or when no funds are free. */
function missing({ share, free }: JoinedConnection, offer: PartnerDeposit): bigint {
  const wanted = offer.partnerDeposit < share ? offer.partnerDeposit : share;
  const lacking = wanted - offer.ownDeposit;
  return lacking < free ? lacking : free;
}

function submit(
  network: TokenNetworkContext,
  connection: JoinedConnection,
  offer: PartnerDeposit,
  added: bigint,
): NetworkStep {
  const { id: from, token, tokenNetwork, matches } = network;
  if (tokenNetwork === null) throw new Error('tokenNetwork: deposited before it is registered');
  const { channel, channelId, partner } = offer;
  const jobs = network.jobs + 1;
  const key = `match:${from}:${jobs}`;
  const totalDeposit = offer.ownDeposit + added;
  const { number, free } = connection;
  const match: Match = { key, number, channel, added, totalDeposit, offer: null };
  const job = { from, key, deadlineBlock: null, tokenNetwork, channelId, partner };
  return {
    patch: {
      jobs,
      matches: [...matches, match],
      connection: { ...connection, free: free - added },
    },
    effects: [{ type: 'tx.deposit', ...job, token, totalDeposit, added }],
  };
}

/**
 * A matching deposit was mined, or failed and gives its funds back. The partner's newer deposit, if any, is matched
 * next.
 */
export function endMatch(
  network: TokenNetworkContext,
  match: Match,
  { ok }: TransactionEnded,
): NetworkStep {
  const { number, channel, added, totalDeposit, offer } = match;
  const matches = network.matches.filter((other) => other !== match);
  const connection = ok ? network.connection : refunded(network, number, added);
  return inOrder<TokenNetworkContext>(
    network,
    () => ({ patch: { matches, connection }, effects: ok ? toldFunded(channel, added) : [] }),
    (next) => {
      if (offer === null) return NOTHING;
      const isKnown = !ok || offer.ownDeposit > totalDeposit;
      return matched(next, { ...offer, ownDeposit: isKnown ? offer.ownDeposit : totalDeposit });
    },
  );
}

/** Tells a channel what this node has put into it. */
export const toldFunded = (to: string, added: bigint): Effect[] =>
  added === 0n ? [] : [{ type: 'notify', to, event: { type: 'actor.funded', added } }];

export const actions = {
  match: on((network, { offer }) => matched(network, offer), 'actor.partnerDeposit'),
};
