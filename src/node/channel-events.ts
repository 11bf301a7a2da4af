/** Everything that ever happened in the channels with one partner, from the database. */
import * as v from 'valibot';
import type { Result } from '../protocol/codes.ts';
import type { Address } from '../protocol/hex.ts';
import type { ChannelEvent } from './api.ts';
import { failure } from './commands.ts';
import type { Node } from './node.ts';
import { channelLog } from './records.ts';

/** No column takes a higher one. */
const HIGHEST_BLOCK = BigInt(Number.MAX_SAFE_INTEGER);

export function createChannelEvents({ store, engine, context }: Node) {
  function logsOf(channels: readonly string[], fromBlock: bigint) {
    return channels
      .flatMap((id) => store.logs(id, fromBlock))
      .sort((a, b) => order(a.block, b.block) || a.logIndex - b.logIndex)
      .map(({ block, log }) => {
        const event: ChannelEvent = { type: 'chain', log: v.parse(channelLog, log) };
        return { block, event };
      });
  }

  function paymentsOf(channels: readonly string[], fromBlock: bigint) {
    return channels
      .flatMap((id) => store.paymentsOf(id, fromBlock))
      .sort((a, b) => a.seq - b.seq)
      .map(({ block, record }) => {
        const event: ChannelEvent = { type: 'payment', block, record };
        return { block, event };
      });
  }

  return {
    /** A payment of an older version of the program, which noted no block, is not among them. */
    channelEvents(
      token: Address,
      partner: Address,
      fromBlock: bigint | null,
    ): Result<ChannelEvent[]> {
      engine.flush();
      const channels = store.channelsWith(token, partner);
      const newest = channels[0];
      if (newest === undefined)
        return context.tokenNetworkOf(token) === null
          ? failure('unknown_token', 'The token has no token network.')
          : failure('unknown_channel', `There never was a channel with ${partner}.`);
      const ids = channels.map(({ id }) => id);
      const from = atMost(HIGHEST_BLOCK, fromBlock ?? newest.openBlock);
      // The sort is stable: within a block the logs stay before the payments, each in its own order.
      const events = [...logsOf(ids, from), ...paymentsOf(ids, from)].sort((a, b) =>
        order(a.block, b.block),
      );
      return { ok: true, value: events.map(({ event }) => event) };
    },
  };
}

function atMost(most: bigint, value: bigint): bigint {
  return value < most ? value : most;
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
