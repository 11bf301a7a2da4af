/** Channels: list, open, the four changes, and what happened in them. */

import type { InferOutput } from 'valibot';
import { MAX_UINT64, MAX_UINT256 } from '../../basics/amount.ts';
import { type Address, ZERO_ADDRESS } from '../../basics/hex.ts';
import type { NodeApi, OpenRequest } from '../../node/api/api.ts';
import type { ChannelView } from '../../node/runtime/actors/channel-states.ts';
import type { Call } from '../../node/runtime/knowledge/calls.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import { answer, failure, good, inSlices } from '../answers/responses.ts';
import { callOf } from '../checks/call.ts';
import type { MountRoute, RouteList } from '../description/described.ts';
import * as endpoints from '../endpoints/channels.ts';
import type { channelChange } from '../shapes/requests.ts';
import {
  channelEventObject,
  channelObject,
  pendingChannelObject,
  waitingObject,
} from '../shapes/serializers.ts';

/** The one change that a PATCH asks for. */
type Change =
  | { purpose: 'close' }
  | { purpose: 'deposit' | 'withdraw' | 'revealTimeout'; value: bigint };

type Parts = { node: NodeApi; route: MountRoute; routeList: RouteList };

export function channelRoutes({ node, route, routeList }: Parts): void {
  routeList(endpoints.getChannels, () => () => {
    return good(inSlices(node.channelSlices({ token: null }), channelObject));
  });

  routeList(endpoints.getChannelsOfToken, ({ token }) => () => {
    return good(inSlices(node.channelSlices({ token }), channelObject));
  });

  route(endpoints.getChannel, ({ token, partner }) => () => {
    const channel = node.channel(token, partner);
    return channel === null ? failure('unknown_channel') : good(channelObject(channel));
  });

  route(endpoints.openChannel, ({ body }, c) => {
    const refusal = openRefusal(body, node.ownAddress);
    if (refusal !== null) return refusal;
    return async () => answer(await node.openChannel(body, callOf(c)), channelObject);
  });

  route(endpoints.changeChannel, ({ token, partner, body }, c) => {
    const change = onlyChange(body);
    if (!change.ok) return change;
    return async () => {
      const refusal = changeRefusal(node.channel(token, partner), change.value);
      if (refusal !== null) return refusal;
      const changed = await apply(node, { token, partner, ...change.value }, callOf(c));
      return answer(changed, channelObject);
    };
  });

  routeList(endpoints.getChannelEvents, ({ token, partner, query: { fromBlock } }) => () => {
    const isBlock = fromBlock === null || (fromBlock >= 0n && fromBlock <= MAX_UINT64);
    const events = node.channelEvents(token, partner, isBlock ? fromBlock : null);
    // An unknown channel is reported before an invalid block.
    if (events.ok && !isBlock) return failure('invalid_block');
    return answer(events, (slices) => inSlices(slices, channelEventObject));
  });

  route(endpoints.getPendingChannels, () => () => {
    return good(node.pendingChannels().map(pendingChannelObject));
  });

  route(endpoints.getWaitingTransactions, () => () => {
    return good(node.waitingTransactions().map(waitingObject));
  });

  route(endpoints.orderWaitingTransactions, ({ body: { token, partner } }, c) => async () => {
    const ordered = await node.orderWaiting(token, partner, callOf(c));
    return answer(ordered, (all) => all.map(waitingObject));
  });
}

const AMOUNTS = 'It must be from 0 to 2^256 - 1.';
const TIMEOUTS = 'must be from 1 to 2^256 - 1 blocks.';

/** Refuses values that no node could accept; knows nothing of the chain. */
function openRefusal(request: OpenRequest, ownAddress: Address): Failure | null {
  const { token, partner, totalDeposit, settleTimeout, revealTimeout } = request;
  if (token === ZERO_ADDRESS) return failure('invalid_token');
  if (partner === ZERO_ADDRESS || partner === ownAddress) return failure('invalid_partner');
  if (!isAmount(totalDeposit)) return failure('invalid_amount', AMOUNTS);
  if (!isTimeout(settleTimeout ?? 1n)) {
    return failure('invalid_timeout', `settle_timeout ${TIMEOUTS}`);
  }
  if (!isTimeout(revealTimeout ?? 1n)) {
    return failure('invalid_timeout', `reveal_timeout ${TIMEOUTS}`);
  }
  return null;
}

function onlyChange(body: InferOutput<typeof channelChange>): Result<Change> {
  const { state, totalDeposit, totalWithdraw, revealTimeout } = body;
  const changes: Change[] = [];
  if (state !== null) changes.push({ purpose: 'close' });
  if (totalDeposit !== null) changes.push({ purpose: 'deposit', value: totalDeposit });
  if (totalWithdraw !== null) changes.push({ purpose: 'withdraw', value: totalWithdraw });
  if (revealTimeout !== null) changes.push({ purpose: 'revealTimeout', value: revealTimeout });
  const [change] = changes;
  const names = 'state, total_deposit, total_withdraw, reveal_timeout.';
  if (change === undefined) return failure('invalid_shape', `Give one of ${names}`);
  return changes.length === 1
    ? { ok: true, value: change }
    : failure('conflicting_fields', `These are ${names}`);
}

/** A channel that is missing or not open is reported before a value that is out of range. */
function changeRefusal(channel: ChannelView | null, change: Change): Failure | null {
  if (channel === null) return failure('unknown_channel');
  if (channel.state !== 'opened') return failure('channel_not_open');
  if (change.purpose === 'close') return null;
  if (change.purpose === 'revealTimeout') {
    return isTimeout(change.value)
      ? null
      : failure('invalid_timeout', `reveal_timeout ${TIMEOUTS}`);
  }
  return isAmount(change.value) ? null : failure('invalid_amount', AMOUNTS);
}

function apply(
  node: NodeApi,
  change: Change & { token: Address; partner: Address },
  call: Call,
): Promise<Result<ChannelView>> {
  const { token, partner } = change;
  switch (change.purpose) {
    case 'close':
      return node.close(token, partner, call);
    case 'deposit':
      return node.deposit(token, partner, change.value, call);
    case 'withdraw':
      return node.withdraw(token, partner, change.value, call);
    case 'revealTimeout':
      return node.setRevealTimeout(token, partner, change.value, call);
  }
}

function isAmount(value: bigint): boolean {
  return value >= 0n && value <= MAX_UINT256;
}

/** Whether the value is a number of blocks that the contracts can hold, in 256 bits. */
function isTimeout(value: bigint): boolean {
  return value > 0n && value <= MAX_UINT256;
}
