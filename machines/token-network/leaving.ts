/**
 * Leaving a token network: every channel is closed and waited for until it is settled; free funds are no longer kept.
 * A close that fails for want of gas ends the leave: channels that are closed by then still settle by themselves.
 */
import type { Code } from '../../src/protocol/codes.ts';
import { askedBy } from '../base/asking.ts';
import { inOrder } from '../base/step.ts';
import type { Effect } from '../effects.ts';
import type { Leave as LeaveCommand } from '../events/commands.ts';
import type { AnsweredNotice, ChannelLeft } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import {
  type Leave,
  type Leaving,
  type NetworkStep,
  on,
  onAny,
  type TokenNetworkContext,
} from './context.ts';

/** Blocks until a channel that could not be closed is asked once more. */
const RETRY_TIMEOUT = 5n;
/**
 * Most tries to close one channel. A close may revert because the partner closed first; if it fails often, there is
 * another reason.
 */
const MOST_TRIES = 3;
const NOTHING: NetworkStep = { patch: {}, effects: [] };

/**
 * Closes all channels. `event.channels`: those that are open, or closed and not settled yet. A caller that asks again
 * while this goes on is answered together with the first.
 */
function leave(network: TokenNetworkContext, event: LeaveCommand): NetworkStep {
  const before = network.leave ?? { requestIds: [], channels: [], settled: [] };
  const requestIds = [...before.requestIds, event.requestId];
  return inOrder<TokenNetworkContext>(
    network,
    () => ({ patch: { leave: { ...before, requestIds }, connection: null }, effects: [] }),
    (next) => closeAll(next, event.channels),
    endLeave,
  );
}

/** Adds to the leave the channels that are not part of it yet, and asks them to close. */
function closeAll(network: TokenNetworkContext, channels: readonly string[]): NetworkStep {
  const { leave: leaving } = network;
  if (leaving === null) return NOTHING;
  const known = new Set([...leaving.channels, ...leaving.settled].map(({ channel }) => channel));
  const fresh = channels.filter((channel) => !known.has(channel));
  const asked = fresh.map((channel): Leave => ({ channel, state: 'asked', tries: 0 }));
  return {
    patch: { leave: { ...leaving, channels: [...leaving.channels, ...asked] } },
    effects: fresh.map((channel) => askToClose(network, channel)),
  };
}

function askToClose({ id }: TokenNetworkContext, channel: string): Effect {
  const event = { type: 'cmd.close', requestId: askedBy(id, channel) } as const;
  return { type: 'notify', to: channel, event };
}

/** A channel whose opening was on its way is left like the others. */
export function leaveOpened(network: TokenNetworkContext, channel: string | null): NetworkStep {
  return channel === null ? NOTHING : closeAll(network, [channel]);
}

/** A channel has closed, or tells why it has not. */
function noteAnswer(network: TokenNetworkContext, event: Stamped<AnsweredNotice>): NetworkStep {
  const { leave: leaving } = network;
  const asked = leaving?.channels.find(({ channel }) => channel === event.about);
  if (leaving === null || asked === undefined || asked.state === 'closed') return NOTHING;
  const { failure, nowBlock } = event;
  const change = (state: Leave['state'], tries: number): Leaving => ({
    ...leaving,
    channels: leaving.channels.map((one) => (one === asked ? { ...one, state, tries } : one)),
  });
  if (failure === null || failure.code === 'channel_not_open')
    return { patch: { leave: change('closed', asked.tries) }, effects: [] };
  // `busy`: a close that another caller asked for is on its way. Its outcome is not told here, so it does not count
  // as a try.
  const tries = failure.code === 'busy' ? asked.tries : asked.tries + 1;
  if (failure.code === 'insufficient_gas' || tries >= MOST_TRIES)
    return giveUp(leaving, failure.code, failure.detail);
  const wakeBlock = network.wakeBlock ?? nowBlock + RETRY_TIMEOUT;
  return { patch: { leave: change('again', tries), wakeBlock }, effects: [] };
}

function giveUp({ requestIds }: Leaving, code: Code, detail: string): NetworkStep {
  const refuse = (requestId: string): Effect => ({ type: 'reply.error', requestId, code, detail });
  return { patch: { leave: null, wakeBlock: null }, effects: requestIds.map(refuse) };
}

/** Asks those channels again that could not be closed. */
function closeAgain(network: TokenNetworkContext): NetworkStep {
  const { leave: leaving } = network;
  if (leaving === null) return { patch: { wakeBlock: null }, effects: [] };
  const due = leaving.channels.filter(({ state }) => state === 'again');
  const ask = (one: Leave): Leave => (one.state === 'again' ? { ...one, state: 'asked' } : one);
  return {
    patch: { leave: { ...leaving, channels: leaving.channels.map(ask) }, wakeBlock: null },
    effects: due.map(({ channel }) => askToClose(network, channel)),
  };
}

/** A channel was settled: it is no longer waited for. */
function noteSettled(network: TokenNetworkContext, { left }: ChannelLeft): NetworkStep {
  const { leave: leaving } = network;
  if (leaving === null || !leaving.channels.some(({ channel }) => channel === left.channel))
    return NOTHING;
  const channels = leaving.channels.filter(({ channel }) => channel !== left.channel);
  const settled = [...leaving.settled, left];
  return inOrder<TokenNetworkContext>(
    network,
    () => ({ patch: { leave: { ...leaving, channels, settled } }, effects: [] }),
    endLeave,
  );
}

/** Answers when there is nothing left to wait for. */
export function endLeave(network: TokenNetworkContext): NetworkStep {
  const { leave: leaving, openings } = network;
  if (leaving === null || leaving.channels.length + openings.length > 0) return NOTHING;
  const value = { kind: 'left', channels: leaving.settled } as const;
  return {
    patch: { leave: null, wakeBlock: null },
    effects: leaving.requestIds.map((requestId) => ({ type: 'reply.ok', requestId, value })),
  };
}

/** A token without a token network has no channels to leave. */
function refuseLeave(_: TokenNetworkContext, { requestId }: LeaveCommand): NetworkStep {
  return {
    patch: {},
    effects: [{ type: 'reply.error', requestId, code: 'unknown_token', detail: '' }],
  };
}

export const guards = {
  isLeaving: ({ context }: { context: TokenNetworkContext }) => context.leave !== null,
  hasLeft: ({ context }: { context: TokenNetworkContext }) => context.leave === null,
};

export const actions = {
  leave: on(leave, 'cmd.leave'),
  refuseLeave: on(refuseLeave, 'cmd.leave'),
  noteAnswer: on(noteAnswer, 'actor.answered'),
  noteSettled: on(noteSettled, 'actor.channelSettled'),
  closeAgain: onAny(closeAgain),
};
