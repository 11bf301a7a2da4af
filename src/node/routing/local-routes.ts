/**
 * Routes found by this node itself, on copies of its token networks. Its own channels are known exactly and
 * always; of all others only what their participants announced since this node listens.
 */

import { EVENT_TOPICS } from '../../chain/logs.ts';
import { createPastLogs } from '../../chain/past-logs.ts';
import type { ChannelLog } from '../../contracts/channel-events.ts';
import type { Failure } from '../../protocol/codes.ts';
import type { Address } from '../../protocol/hex.ts';
import { createOwnWord, type OwnChannels } from '../runtime/own-channels.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import type { RouteFinder } from '../runtime/route-finder.ts';
import { createHearing, createNetworkCopy, type NetworkCopy } from './network-copy.ts';

/** How long a payment waits for a network that is still read from the chain. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 1_000;

type Options = OwnChannels & {
  settings: Pick<NodeSettings, 'chainId' | 'deployBlock'>;
  parts: Pick<NodeParts, 'client' | 'clock' | 'log' | 'recover' | 'signer' | 'transport'>;
};
type Reading = {
  copy: NetworkCopy;
  /** What came while the past was read; null: it has been read. */
  held: ChannelLog[] | null;
  loaded: Promise<void>;
};
/** A finder that has to be told what happens. */
export type LocalRoutes = RouteFinder & Required<Pick<RouteFinder, 'hears'>>;

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
    copyFor: ({ tokenNetwork, updatingParticipant }) =>
      updatingParticipant === signer.address ? null : (readings.get(tokenNetwork)?.copy ?? null),
  });

  /** A network of which everything comes from now on. */
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
      // A channel that is missing is a way that is not tried.
      mustBeWhole: false,
      contract: { kind: 'tokenNetwork', address: network },
      onLog(past) {
        if ('channelId' in past) reading.copy.confirmed(past);
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
      ownWord.tell();
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
    hears: {
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
      /** What is said of channels that are not read yet waits in few places: so it is asked for when all are. */
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

/** Nobody reads it. */
const HELLO = Buffer.from('hello');
const NOT_READ: Failure = {
  ok: false,
  code: 'no_route',
  detail: 'The channels of this token are still being read from the chain.',
};
