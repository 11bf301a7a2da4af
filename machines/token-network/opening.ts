/** How a token network opens channels, and how their actors are spawned. Protocol 5.3. */

import { ZERO_ADDRESS } from '../../src/basics/hex.ts';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { channelActorId } from '../base/actor-ids.ts';
import { inOrder } from '../base/step.ts';
import type { ActorRefusal } from '../channel/context.ts';
import { depositRefusal } from '../channel/deposit.ts';
import type { Effect } from '../effects.ts';
import type { TransactionEnded } from '../events/chain.ts';
import type { Open, OpenLimits } from '../events/commands.ts';
import {
  type NetworkStep,
  type Opening,
  on,
  onGiven,
  refunded,
  type TokenNetworkContext,
  when,
} from './context.ts';
import { matched, toldFunded } from './matching.ts';

type Opened = Extract<ChannelLog, { type: 'chain.channelOpened' }>;
/** Why the chart itself refuses. */
export type OpeningCode = { code: 'busy' | 'token_not_registered' } | undefined;
type Timeouts = { settleTimeout: bigint; revealTimeout: bigint; limits: OpenLimits };

/** What a person is told about a token without a token network. */
export const NOT_REGISTERED = 'Register it first.';
export const LEAVING = 'The node is leaving this token: wait until all its channels are settled.';

/** Why no channel can be opened, or null. Checks everything that can be known before a transaction. */
function openRefusal(network: TokenNetworkContext, event: Open): ActorRefusal | null {
  const { partner, totalDeposit, limits } = event;
  if (partner === network.own || partner === ZERO_ADDRESS)
    return { code: 'invalid_partner', detail: 'It is this node itself, or the zero address.' };
  if (event.hasChannel) return { code: 'channel_exists', detail: 'Deposit into it instead.' };
  if (network.openings.some((opening) => opening.partner === partner)) return busy(network);
  const refusal = timeoutRefusal(event) ?? depositRefusal(0n, totalDeposit, limits);
  return refusal ?? (event.canPayGas ? null : NO_GAS);
}

const NO_GAS: ActorRefusal = {
  code: 'insufficient_gas',
  detail: 'The account could not pay for the gas that protects another channel: send it some.',
};

function busy({ leave }: TokenNetworkContext): ActorRefusal {
  const detail = leave === null ? 'The channel is being opened: wait for it.' : LEAVING;
  return { code: 'busy', detail };
}

export function timeoutRefusal({
  settleTimeout,
  revealTimeout,
  limits,
}: Timeouts): ActorRefusal | null {
  const isRight =
    revealTimeout >= limits.minRevealTimeout &&
    settleTimeout >= 2n * revealTimeout &&
    settleTimeout >= limits.minSettleTimeout &&
    settleTimeout <= limits.maxSettleTimeout;
  const detail = `reveal_timeout must be at least ${limits.minRevealTimeout}, settle_timeout at least twice reveal_timeout and from ${limits.minSettleTimeout} to ${limits.maxSettleTimeout}.`;
  return isRight ? null : { code: 'invalid_timeout', detail };
}

/** Opens a channel. `requestId`: null when the opening belongs to the join that is on its way. */
export function open(
  network: TokenNetworkContext,
  event: Pick<Open, 'partner' | 'revealTimeout' | 'settleTimeout' | 'totalDeposit'>,
  requestId: string | null,
): NetworkStep {
  const { id: from, token, tokenNetwork } = network;
  if (tokenNetwork === null) throw new Error('tokenNetwork: opened before it is registered');
  const { partner, revealTimeout, settleTimeout, totalDeposit } = event;
  const jobs = network.jobs + 1;
  const key = `open:${from}:${jobs}`;
  const asked = { requestId, key, partner, totalDeposit, revealTimeout };
  const opening: Opening = { ...asked, channel: null, offer: null };
  const facts = { token, tokenNetwork, partner, settleTimeout, totalDeposit };
  return {
    patch: { jobs, openings: [...network.openings, opening] },
    effects: [{ type: 'tx.openChannel', from, key, deadlineBlock: null, ...facts }],
  };
}

function isOurs({ own }: TokenNetworkContext, event: Opened): boolean {
  return event.participant1 === own || event.participant2 === own;
}

/** A channel of this node was opened on chain, by this node or by anybody else. */
function spawnChannel(network: TokenNetworkContext, event: Opened): NetworkStep {
  const { own, token, chainId, confirmations, openings, minRevealTimeout } = network;
  const { tokenNetwork, channelId, settleTimeout, at } = event;
  const partner = event.participant1 === own ? event.participant2 : event.participant1;
  const opening = openings.find((candidate) => candidate.partner === partner);
  const id = channelActorId({ tokenNetwork, channelId });
  const isRevealChosen = opening !== undefined;
  // If this node did not open the channel, it did not choose the settle timeout: whether that leaves enough time is
  // checked for each lock.
  const revealTimeout = opening?.revealTimeout ?? network.defaultRevealTimeout;
  const facts = { chainId, tokenNetwork, channelId, token, own, partner, confirmations };
  const reveal = { revealTimeout, isRevealChosen, minRevealTimeout };
  const input = { ...facts, ...reveal, settleTimeout, openBlock: at.block };
  const note = (other: Opening) => (other === opening ? { ...other, channel: id } : other);
  return {
    patch: { openings: openings.map(note) },
    effects: [{ type: 'spawn.channel', id, input }],
  };
}

/** Ends an opening. Its channel was spawned before, by a log of the same blocks. */
export function endOpening(
  network: TokenNetworkContext,
  opening: Opening,
  event: TransactionEnded,
): NetworkStep {
  const openings = network.openings.filter((other) => other !== opening);
  const { channel, offer } = opening;
  if (event.ok && channel !== null) return opened({ ...network, openings }, opening, channel);
  const failure = event.ok
    ? { code: 'transaction_failed' as const, detail: 'The channel did not appear on chain.' }
    : { code: event.code, detail: event.detail };
  const failed = openingFailed({ ...network, openings }, opening, failure);
  // If the partner opened the channel first, its deposit counts like any other partner's.
  return inOrder(
    network,
    () => failed,
    (next) => (offer === null ? { patch: {}, effects: [] } : matched(next, offer)),
  );
}

function opened(network: TokenNetworkContext, opening: Opening, channel: string): NetworkStep {
  const { openings, connection, join } = network;
  const isKept = connection !== null;
  const own = isKept ? { ...connection, own: [...connection.own, channel] } : null;
  const patch = { openings, connection: own };
  const { requestId, totalDeposit } = opening;
  const funded = toldFunded(channel, totalDeposit);
  if (requestId !== null) {
    const reply: Effect = { type: 'reply.ok', requestId, value: { kind: 'channel', channel } };
    return { patch, effects: [...funded, reply] };
  }
  if (join === null) throw new Error('tokenNetwork: opened for a join that is over');
  const joined = { ...join, opened: [...join.opened, channel] };
  return { patch: { ...patch, join: joined }, effects: funded };
}

function openingFailed(
  network: TokenNetworkContext,
  { requestId, totalDeposit }: Opening,
  failure: { code: Code; detail: string },
): NetworkStep {
  const { openings, join } = network;
  if (requestId !== null) {
    const effects: Effect[] = [{ type: 'reply.error', requestId, ...failure }];
    return { patch: { openings }, effects };
  }
  if (join === null) throw new Error('tokenNetwork: failed for a join that is over');
  const connection = refunded(network, join.number, totalDeposit);
  const first = join.failure ?? failure;
  return { patch: { openings, connection, join: { ...join, failure: first } }, effects: [] };
}

/** `given`: the code that the chart gives, if its state is the reason. */
function refuseOpen(network: TokenNetworkContext, event: Open, given: OpeningCode): NetworkStep {
  const refusal = given === undefined ? openRefusal(network, event) : null;
  return refused(event, refusal ?? refusalIn(given, busy(network)));
}

/** The refusal for a code that the chart gives: but for a token without a token network it is `busy`. */
export function refusalIn(given: OpeningCode, busy: ActorRefusal): ActorRefusal {
  return given?.code === 'token_not_registered'
    ? { code: given.code, detail: NOT_REGISTERED }
    : busy;
}

export function refused({ requestId }: { requestId: string }, refusal: ActorRefusal): NetworkStep {
  return { patch: {}, effects: [{ type: 'reply.error', requestId, ...refusal }] };
}

export const guards = {
  isOurs: when(isOurs, 'chain.channelOpened'),
  canOpen: when((network, event) => openRefusal(network, event) === null, 'cmd.open'),
  isOpening: ({ context }: { context: TokenNetworkContext }) => context.openings.length > 0,
  hasOpened: ({ context }: { context: TokenNetworkContext }) => context.openings.length === 0,
};

export const actions = {
  open: on((network, event) => open(network, event, event.requestId), 'cmd.open'),
  refuseOpen: onGiven(refuseOpen, 'cmd.open'),
  spawnChannel: on(spawnChannel, 'chain.channelOpened'),
};
