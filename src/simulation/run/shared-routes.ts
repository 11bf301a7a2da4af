/**
 * One copy of the token network on which all nodes search routes, so that a thousand nodes do not keep a thousand
 * copies, and each announcement is processed once. It gets what nodes announce over the same broker, as each of
 * them would, and what the chain confirms; of its own channels each node knows the newest state, as usual.
 */

import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import { EVENT_TOPICS } from '../../chain/watch/logs.ts';
import { createPastLogs } from '../../chain/watch/past-logs.ts';
import { createHearing, NO_LIMITS } from '../../node/routing/hearing.ts';
import { createNetworkCopy } from '../../node/routing/network-copy.ts';
import { createOwnWord } from '../../node/runtime/actors/own-channels.ts';
import type { NodeParts } from '../../node/runtime/parts.ts';
import type { Transport } from '../../partner/transport.ts';

type Options = {
  /** A client over an endpoint that never has a fault. */
  client: ChainClient;
  chainId: bigint;
  tokenNetwork: Address;
  confirmations: bigint;
  recover: NodeParts['recover'];
  /** A transport that is connected under a name of its own. */
  transport: Pick<Transport, 'onBroadcast'>;
  now(): number;
};

export function createSharedRoutes(options: Options) {
  const { client, chainId, tokenNetwork, confirmations, recover, transport, now } = options;
  const copy = createNetworkCopy({ now });
  const { network } = copy;
  const copyFor = (of: { tokenNetwork: Address }) =>
    of.tokenNetwork === tokenNetwork ? copy : null;
  const hearing = { chainId, recover, copyFor, elapsed: now, limits: NO_LIMITS };
  transport.onBroadcast('pathfinding', createHearing(hearing));
  const past = createPastLogs({
    client,
    topics: EVENT_TOPICS,
    fromBlock: 0n,
    mustBeWhole: false,
    onLogs(logs) {
      for (const log of logs) if ('channelId' in log) copy.confirmed(log);
    },
    contract: { kind: 'tokenNetwork', address: tokenNetwork },
  });
  let reading: Promise<unknown> = Promise.resolve();

  return {
    /** Reads the logs of blocks that were just confirmed. */
    mined(headBlock: bigint) {
      reading = reading.then(() => past.readTo(headBlock - confirmations));
    },
    /** The route finder for the node with this address. */
    finderOf:
      (from: Address): NonNullable<NodeParts['routes']> =>
      (own) => {
        const copyOf = (of: Address) => (of === tokenNetwork ? network : undefined);
        const { changed, tell } = createOwnWord(own, copyOf);
        return {
          async find({ target: to, amount: value, maxRoutes: maxPaths, ...of }) {
            if (of.tokenNetwork !== tokenNetwork) return { ok: true, value: [] };
            await tell();
            const { mayBeThere: isReachable } = own;
            const found = network.paths({ from, to, value, maxPaths, isReachable });
            const routes = found.map(({ path, estimatedFee }) => ({ route: path, estimatedFee }));
            return { ok: true, value: routes };
          },
          report() {},
          hears: { changed, begin() {}, confirmed() {}, speaking() {}, end() {} },
        };
      },
  };
}
