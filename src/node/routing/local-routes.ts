/**
 * Routes found by this node itself, on copies of its token networks. Its own channels are always known exactly; of all
 * others only what their participants have announced since this node listens.
 */

import type { Address } from '../../basics/hex.ts';
import { EVENT_TOPICS } from '../../chain/watch/logs.ts';
import { createPastLogs } from '../../chain/watch/past-logs.ts';
import type { ChannelLog } from '../../contracts/channel-events.ts';
import type { Failure } from '../../protocol/codes.ts';
import { createOwnWord, type OwnChannels } from '../runtime/actors/own-channels.ts';
import type { RouteFinder } from '../runtime/knowledge/route-finder.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import { createHearing } from './hearing.ts';
import { createNetworkCopy, type NetworkCopy } from './network-copy.ts';

/** How long a payment waits for a network that is still being read from the chain. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 1_000;

type Options = OwnChannels & {
  settings: Pick<NodeSettings, 'chainId' | 'deployBlock'>;
  parts: Pick<
    NodeParts,
    'broadcasts' | 'client' | 'clock' | 'log' | 'recover' | 'signer' | 'transport'
  >;
};
type Reading = {
  copy: NetworkCopy;
  /** Logs that were confirmed while the past was being read; null once it has been read. */
  held: ChannelLog[] | null;
  loaded: Promise<void>;
};
/** A route finder that has to be told what happens on chain and in the node's channels. */
export type LocalRoutes = RouteFinder & Required<Pick<RouteFinder, 'follows'>>;

export function createLocalRoutes(options: Options): LocalRoutes {
  const { settings, parts, channels, stateOf, mayBeThere } = options;
  const { client, clock, log, recover, signer, transport } = parts;
  const readings = new Map<Address, Reading>();
  let isEnded = false;
  const ownWord = createOwnWord({ channels, stateOf }, (tokenNetwork) => {
    const reading = readings.get(tokenNetwork);
    return reading?.held === null ? reading.copy.network : reading && null;
  });
  const take = createHearing({
    chainId: settings.chainId,
    recover,
    reader: parts.broadcasts,
    elapsed: () => clock.elapsed(),
    copyFor: ({ tokenNetwork, updatingParticipant }) =>
      updatingParticipant === signer.address ? null : (readings.get(tokenNetwork)?.copy ?? null),
  });

  /** A copy of a new network: all its logs are still to come. */
  function beginEmpty(tokenNetwork: Address): Reading {
    const copy = createNetworkCopy({ now: () => clock.now() });
    const reading: Reading = { copy, held: null, loaded: Promise.resolve() };
    readings.set(tokenNetwork, reading);
    return reading;
  }

  async function readPast(network: Address, reading: Reading, lastBlock: bigint) {
    const past = createPastLogs({
      client,
      topics: EVENT_TOPICS,
      fromBlock: settings.deployBlock,
      // A missing channel only means that a route over it is not tried.
      mustBeWhole: false,
      contract: { kind: 'tokenNetwork', address: network },
      onLogs(logs) {
        for (const past of logs) if ('channelId' in past) reading.copy.confirmed(past);
      },
    });
    for (;;) {
      const read = await past.readTo(lastBlock);
      if (read.ok || isEnded) break;
      log.warn({ network, detail: read.detail }, 'the channels of a token network cannot be read');
      await pause(RETRY_MS);
    }
    for (const held of reading.held ?? []) reading.copy.confirmed(held);
    reading.held = null;
  }

  function pause(ms: number) {
    return new Promise<void>((resolve) => {
      const stop = clock.every(ms, () => {
        stop();
        resolve();
      });
    });
  }

  return {
    async find({ tokenNetwork, target, amount, maxRoutes }) {
      const reading = readings.get(tokenNetwork);
      if (reading === undefined) return { ok: true, value: [] };
      if (reading.held !== null) await Promise.race([reading.loaded, pause(PATIENCE_MS)]);
      if (reading.held !== null) return NOT_READ;
      await ownWord.tell();
      const found = reading.copy.network.paths({
        from: signer.address,
        to: target,
        value: amount,
        maxPaths: maxRoutes,
        isReachable: mayBeThere,
      });
      const value = found.map(({ path, estimatedFee }) => ({ route: path, estimatedFee }));
      return { ok: true, value };
    },
    report() {},
    follows: {
      begin(tokenNetworks, lastBlock) {
        transport.onBroadcast('pathfinding', take);
        for (const tokenNetwork of tokenNetworks) {
          const reading = beginEmpty(tokenNetwork);
          reading.held = [];
          reading.loaded = readPast(tokenNetwork, reading, lastBlock);
        }
      },
      confirmed(logs) {
        for (const chainLog of logs) {
          if (chainLog.type === 'chain.tokenNetworkCreated') beginEmpty(chainLog.tokenNetwork);
          if (!('channelId' in chainLog)) continue;
          const reading = readings.get(chainLog.tokenNetwork);
          if (reading?.held === null) reading.copy.confirmed(chainLog);
          else reading?.held.push(chainLog);
        }
      },
      changed: ownWord.changed,
      /**
       * There is little room for announcements of unread channels, so they are asked for when all channels are read.
       */
      async speaking() {
        await Promise.all([...readings.values()].map(({ loaded }) => loaded));
        if (!isEnded) transport.broadcast('hello', HELLO);
      },
      end() {
        isEnded = true;
      },
    },
  };
}

/** Its content is not read by anybody. */
const HELLO = Buffer.from('hello');
const NOT_READ: Failure = {
  ok: false,
  code: 'no_route',
  detail: 'The channels of this token are still being read from the chain.',
};
