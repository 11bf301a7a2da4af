/**
 * Deposits that answer those of partners: the free funds of a join go into channels that others open with
 * this node later, as much as they put in, at most one share each and no dust. Protocol 8.
 */
import type { TransactionEnded } from '../events/chain.ts';
import type { PartnerDeposit } from '../events/notices.ts';
import { inOrder } from '../step.ts';
import {
  type Connection,
  type Match,
  type NetworkStep,
  refunded,
  type TokenNetworkContext,
} from './context.ts';

const NOTHING: NetworkStep = { patch: {}, effects: [] };
/**
 * A match adds at least this part of a share, or all that is free. Partners decide how often they deposit,
 * and each match costs this account its gas: without a bound, dust would take what closes and settles need.
 */
const LEAST_PART = 10n;

/** A partner deposited: that is answered now, when what is on its way has ended, or not at all. */
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

function isWorthGas({ share, free }: Connection, added: bigint): boolean {
  return added > 0n && (added === free || added * LEAST_PART >= share);
}

function isLater({ sinceBlock, own }: Connection, { openBlock, channel }: PartnerDeposit): boolean {
  return openBlock > sinceBlock && !own.includes(channel);
}

/** What is to be added; 0 or less when there is enough, or no money. */
function missing({ share, free }: Connection, offer: PartnerDeposit): bigint {
  const wanted = offer.partnerDeposit < share ? offer.partnerDeposit : share;
  const lacking = wanted - offer.ownDeposit;
  return lacking < free ? lacking : free;
}

function submit(
  network: TokenNetworkContext,
  connection: Connection,
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

/** A match was mined, or failed and gives its funds back; the next may follow. */
export function endMatch(
  network: TokenNetworkContext,
  match: Match,
  { ok }: TransactionEnded,
): NetworkStep {
  const { number, added, totalDeposit, offer } = match;
  const matches = network.matches.filter((other) => other !== match);
  const connection = ok ? network.connection : refunded(network, number, added);
  return inOrder<TokenNetworkContext>(
    network,
    () => ({ patch: { matches, connection }, effects: [] }),
    (next) => {
      if (offer === null) return NOTHING;
      const isKnown = !ok || offer.ownDeposit > totalDeposit;
      return matched(next, { ...offer, ownDeposit: isKnown ? offer.ownDeposit : totalDeposit });
    },
  );
}
