/** Channels: list, open, and the four changes. */
import type { InferOutput } from 'valibot';
import type { ChannelView, NodeApi, OpenRequest } from '../../node/api.ts';
import { MAX_UINT256 } from '../../protocol/amount.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import { type Address, ZERO_ADDRESS } from '../../protocol/hex.ts';
import { answer, failure, ok, refuse } from '../answers.ts';
import { noAddress, type Route, tokenAddress, tokenAndPartner } from '../calls.ts';
import { channelChange, newChannel, readBody } from '../schema.ts';
import { channelObject } from '../views.ts';

/** Exactly one purpose of a PATCH. */
type Change =
  | { purpose: 'close' }
  | { purpose: 'deposit' | 'withdraw' | 'revealTimeout'; value: bigint };

export function channelRoutes({ node, route }: { node: NodeApi; route: Route }): void {
  route({
    path: '/channels',
    addresses: noAddress,
    methods: {
      GET: () => () => ok(node.channels({ token: null }).map(channelObject)),
      PUT: async (c) => {
        const body = await readBody(c.req.raw, newChannel);
        if (!body.ok) return body;
        const refusal = openRefusal(body.value, node.ownAddress);
        if (refusal !== null) return refusal;
        return async () => answer(await node.openChannel(body.value), channelObject, 201);
      },
    },
  });

  route({
    path: '/channels/:token',
    addresses: tokenAddress,
    methods: {
      GET: (_, { token }) => {
        return () => ok(node.channels({ token }).map(channelObject));
      },
    },
  });

  route({
    path: '/channels/:token/:partner',
    addresses: tokenAndPartner,
    methods: {
      GET: (_, { token, partner }) => {
        return () => {
          const channel = node.channel(token, partner);
          return channel === null ? refuse(failure('unknown_channel')) : ok(channelObject(channel));
        };
      },
      PATCH: async (c, { token, partner }) => {
        const body = await readBody(c.req.raw, channelChange);
        if (!body.ok) return body;
        const change = onlyChange(body.value);
        if (!change.ok) return change;
        return async () => {
          const refusal = changeRefusal(node.channel(token, partner), change.value);
          if (refusal !== null) return refuse(refusal);
          return answer(await apply(node, token, partner, change.value), channelObject);
        };
      },
    },
  });
}

/** Values that no node could take; none of these needs to know the chain. */
function openRefusal(request: OpenRequest, ownAddress: Address): Failure | null {
  const { token, partner, totalDeposit, settleTimeout, revealTimeout } = request;
  if (token === ZERO_ADDRESS) return failure('invalid_token');
  if (partner === ZERO_ADDRESS || partner === ownAddress) return failure('invalid_partner');
  if (!isAmount(totalDeposit)) return failure('invalid_amount');
  if (!isTimeout(settleTimeout ?? 1n)) return failure('invalid_timeout', 'See settle_timeout.');
  if (!isTimeout(revealTimeout ?? 1n)) return failure('invalid_timeout', 'See reveal_timeout.');
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

/** A channel that is missing or not open counts before a value that is out of range. */
function changeRefusal(channel: ChannelView | null, change: Change): Failure | null {
  if (channel === null) return failure('unknown_channel');
  if (channel.state !== 'opened') return failure('channel_not_open');
  if (change.purpose === 'close') return null;
  if (change.purpose === 'revealTimeout') {
    return isTimeout(change.value) ? null : failure('invalid_timeout');
  }
  return isAmount(change.value) ? null : failure('invalid_amount');
}

function apply(
  node: NodeApi,
  token: Address,
  partner: Address,
  change: Change,
): Promise<Result<ChannelView>> {
  switch (change.purpose) {
    case 'close':
      return node.close(token, partner);
    case 'deposit':
      return node.deposit(token, partner, change.value);
    case 'withdraw':
      return node.withdraw(token, partner, change.value);
    case 'revealTimeout':
      return node.setRevealTimeout(token, partner, change.value);
  }
}

function isAmount(value: bigint): boolean {
  return value >= 0n && value <= MAX_UINT256;
}

/** Blocks; the contracts hold them in 256 bits. */
function isTimeout(value: bigint): boolean {
  return value > 0n && value <= MAX_UINT256;
}
