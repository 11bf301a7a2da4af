/**
 * Joining a token network: channels with three peers, a fifth of the funds in each; the rest stays free
 * for channels that others open. Protocol 8; decisions, PUT connections.
 */
import { MAX_UINT256 } from '../../src/basics/amount.ts';
import { type Address, ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { inOrder } from '../base/step.ts';
import type { ActorRefusal } from '../channel/context.ts';
import type { Effect } from '../effects.ts';
import type { Join } from '../events/commands.ts';
import type { Stamped } from '../events/stamps.ts';
import {
  type JoinedConnection,
  type Joining,
  type NetworkStep,
  on,
  onGiven,
  promised,
  type TokenNetworkContext,
  when,
} from './context.ts';
import { LEAVING, type OpeningCode, open, refusalIn, refused, timeoutRefusal } from './opening.ts';

export const PEERS = 3;
/** The funds are divided by this: 20 % for each peer, 40 % for channels that others open later. */
const SHARES = 5n;

/** With whom channels are to be opened. A partner whose channel holds a share already counts as one of the three. */
function peersOf(network: TokenNetworkContext, event: Join): readonly Address[] {
  const { own, openings } = network;
  const share = event.funds / SHARES;
  const funded = event.deposits.filter((deposit) => deposit >= share).length;
  return event.candidates
    .filter((peer) => peer !== own && peer !== ZERO_ADDRESS)
    .filter((peer) => !openings.some(({ partner }) => partner === peer))
    .slice(0, Math.max(0, PEERS - funded));
}

/** Why the join cannot begin, or null. Checks everything that can be known before a transaction. */
function joinRefusal(network: TokenNetworkContext, event: Join): ActorRefusal | null {
  const { funds, limits, gas } = event;
  if (network.join !== null || network.leave !== null) return busy(network);
  // Channels without a unit in them would be opened for nothing but their gas.
  if (funds < SHARES || funds > MAX_UINT256) return WRONG_FUNDS;
  const share = funds / SHARES;
  const openings = BigInt(peersOf(network, event).length);
  const refusal = openings > 0n ? timeoutRefusal(event) : null;
  if (refusal !== null) return refusal;
  if (share > limits.participantLimit || share * openings > limits.networkRoom) return ABOVE_LIMIT;
  if (funds > limits.ownTokens - promised(network)) return NO_TOKENS;
  return gas.money < gas.perOpening * openings ? NO_GAS : null;
}

const WRONG_FUNDS: ActorRefusal = {
  code: 'invalid_amount',
  detail: `funds must be from ${SHARES} to 2^256 - 1: a fifth of them goes into each channel.`,
};
const ABOVE_LIMIT: ActorRefusal = {
  code: 'above_limit',
  detail:
    'It is that of the token network for deposits: a fifth of the funds goes into each channel.',
};
const NO_TOKENS: ActorRefusal = {
  code: 'insufficient_balance',
  detail: 'The account holds fewer free tokens than these funds.',
};
const NO_GAS: ActorRefusal = {
  code: 'insufficient_gas',
  detail: 'The account cannot pay for the gas of the openings.',
};

function busy({ leave }: TokenNetworkContext): ActorRefusal {
  const joined = 'The token network is being joined with other funds: wait for it.';
  return { code: 'busy', detail: leave === null ? joined : LEAVING };
}

/** Begins a join. What is still free of an earlier join's funds is no longer kept for channels that others open. */
function join(network: TokenNetworkContext, event: Stamped<Join>): NetworkStep {
  const { requestId, funds, revealTimeout, settleTimeout, nowBlock } = event;
  const peers = peersOf(network, event);
  const share = funds / SHARES;
  const number = network.jobs + 1;
  const free = funds - share * BigInt(peers.length);
  const connection: JoinedConnection = { number, share, free, sinceBlock: nowBlock, own: [] };
  const joining: Joining = { requestIds: [requestId], funds, number, opened: [], failure: null };
  const openWith = (partner: Address) => (next: TokenNetworkContext) =>
    open(next, { partner, totalDeposit: share, revealTimeout, settleTimeout }, null);
  return inOrder<TokenNetworkContext>(
    network,
    () => ({ patch: { jobs: number, connection, join: joining }, effects: [] }),
    ...peers.map(openWith),
    endJoin,
  );
}

function isSameJoin({ join: joining }: TokenNetworkContext, { funds }: Join): boolean {
  return joining?.funds === funds;
}

/** Another caller asks for the join that is on its way: all get the same answer. */
function joinAgain(network: TokenNetworkContext, { requestId }: Join): NetworkStep {
  const { join: joining } = network;
  if (joining === null) throw new Error('tokenNetwork: no join to wait for');
  const requestIds = [...joining.requestIds, requestId];
  return { patch: { join: { ...joining, requestIds } }, effects: [] };
}

/**
 * Answers the callers when no opening of the join is on its way any more. If no channel could be opened, no funds are
 * kept for it.
 */
export function endJoin(network: TokenNetworkContext): NetworkStep {
  const { join: joining, openings } = network;
  if (joining === null || openings.some(({ requestId }) => requestId === null))
    return { patch: {}, effects: [] };
  const { requestIds, opened: channels, failure } = joining;
  if (failure !== null && channels.length === 0) {
    const refuse = (requestId: string): Effect => ({ type: 'reply.error', requestId, ...failure });
    return { patch: { join: null, connection: null }, effects: requestIds.map(refuse) };
  }
  const value = { kind: 'joined', channels } as const;
  const answer = (requestId: string): Effect => ({ type: 'reply.ok', requestId, value });
  return { patch: { join: null }, effects: requestIds.map(answer) };
}

/** `given`: the code that the chart gives, if its state is the reason. */
function refuseJoin(network: TokenNetworkContext, event: Join, given: OpeningCode): NetworkStep {
  const refusal = given === undefined ? joinRefusal(network, event) : null;
  return refused(event, refusal ?? refusalIn(given, busy(network)));
}

export const guards = {
  canJoin: when((network, event) => joinRefusal(network, event) === null, 'cmd.join'),
  isSameJoin: when(isSameJoin, 'cmd.join'),
  isJoining: ({ context }: { context: TokenNetworkContext }) => context.join !== null,
  hasJoined: ({ context }: { context: TokenNetworkContext }) => context.join === null,
};

export const actions = {
  join: on(join, 'cmd.join'),
  joinAgain: on(joinAgain, 'cmd.join'),
  refuseJoin: onGiven(refuseJoin, 'cmd.join'),
};
