/**
 * Joining a token network: channels with three peers, a fifth of the funds in each; the rest stays free
 * for channels that others open. Protocol 8; decisions, PUT connections.
 */
import { MAX_UINT256 } from '../../src/protocol/amount.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { type Address, ZERO_ADDRESS } from '../../src/protocol/hex.ts';
import type { Effect } from '../effects.ts';
import type { Join } from '../events/commands.ts';
import type { Stamped } from '../events/stamps.ts';
import { inOrder } from '../step.ts';
import {
  type Connection,
  type Joining,
  type NetworkStep,
  on,
  onGiven,
  promised,
  type TokenNetworkContext,
  when,
} from './context.ts';
import { NOT_REGISTERED, open, timeoutAdvice, timeoutRefusal } from './opening.ts';

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
function joinRefusal(network: TokenNetworkContext, event: Join): Code | null {
  const { funds, limits, gas } = event;
  if (network.join !== null || network.leave !== null) return 'busy';
  // Channels without a unit in them would be opened for nothing but their gas.
  if (funds < SHARES || funds > MAX_UINT256) return 'invalid_amount';
  const share = funds / SHARES;
  const openings = BigInt(peersOf(network, event).length);
  if (openings > 0n && timeoutRefusal(event) !== null) return 'invalid_timeout';
  if (share > limits.participantLimit || share * openings > limits.networkRoom)
    return 'above_limit';
  if (funds > limits.ownTokens - promised(network)) return 'insufficient_balance';
  return gas.money < gas.perOpening * openings ? 'insufficient_gas' : null;
}

function joinAdvice(network: TokenNetworkContext, code: Code, event: Join): string {
  switch (code) {
    case 'busy':
      return network.leave === null
        ? 'The token network is being joined with other funds: wait for it.'
        : 'The node is leaving this token: wait until all its channels are settled.';
    case 'invalid_amount':
      return `funds must be from ${SHARES} to 2^256 - 1: a fifth of them goes into each channel.`;
    case 'above_limit':
      return 'It is that of the token network for deposits: a fifth of the funds goes into each channel.';
    case 'insufficient_balance':
      return 'The account holds fewer free tokens than these funds.';
    case 'insufficient_gas':
      return 'The account cannot pay for the gas of the openings.';
    case 'invalid_timeout':
      return timeoutAdvice(event);
    case 'token_not_registered':
      return NOT_REGISTERED;
    default:
      return '';
  }
}

/** Begins a join. What is still free of an earlier join's funds is no longer kept for channels that others open. */
function join(network: TokenNetworkContext, event: Stamped<Join>): NetworkStep {
  const { requestId, funds, revealTimeout, settleTimeout, nowBlock } = event;
  const peers = peersOf(network, event);
  const share = funds / SHARES;
  const number = network.jobs + 1;
  const free = funds - share * BigInt(peers.length);
  const connection: Connection = { number, share, free, sinceBlock: nowBlock, own: [] };
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

/** `given`: the code that the chart gives, if it knows why. */
function refuseJoin(
  network: TokenNetworkContext,
  event: Join,
  given: { code: Code } | undefined,
): NetworkStep {
  const code = given?.code ?? joinRefusal(network, event) ?? 'busy';
  const detail = joinAdvice(network, code, event);
  const { requestId } = event;
  return { patch: {}, effects: [{ type: 'reply.error', requestId, code, detail }] };
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
