/** A node that waits: it follows the stream of another node with the same key, until it has to take that one's place. */
import { secondsOfBlock } from '../chain/block-time.ts';
import type { ChainClient } from '../chain/client.ts';
import type { Following } from '../replica/standby.ts';
import { parseLocation } from '../store/durability/location.ts';
import { refusal } from './base/refusal.ts';
import { checkChain } from './check-chain.ts';
import { defaultDatabase, nodeName } from './database/claim.ts';
import { listenProblem } from './node-api.ts';
import type { NodeConfig, NodeHooks } from './node-config.ts';
import { slowTakeover } from './node-timeouts.ts';
import { followOwner, type StandingBy, type StoodBy } from './replica/follow-owner.ts';
import { replicaKeys, streamOptions } from './replica/node-stream.ts';
import type { ReplicaConfig } from './replica/open-replica.ts';
import { NODE_WORDS } from './replica/replica-words.ts';
import { serveNoCalls } from './serve-no-calls.ts';

type Request = StandingBy & {
  config: NodeConfig & { replica: ReplicaConfig };
  hooks: Pick<NodeHooks, 'signer' | 'log'>;
};

/** Resolves when the stream is to be taken. Goes on by itself when the stream is away or has to be read again. */
export async function standBy(request: Request): Promise<StoodBy> {
  const { config, hooks } = request;
  const { signer, log } = hooks;
  const chain = await checkChain({ ...config, onOtherChain: () => {} });
  if (!chain.ok) return chain;
  const { chainId, client } = chain.value.connection;
  await tellSlowness(request, client);
  chain.value.connection.stop();
  const { address } = signer;
  const tokenNetworkRegistry = chain.value.contracts.tokenNetworkRegistryAddress;
  const stamp = { chainId, tokenNetworkRegistry, ownAddress: address };
  const name = nodeName(chainId, tokenNetworkRegistry, address);
  const location = parseLocation(config.database ?? defaultDatabase(config.dataFolder, name));
  if (location.kind !== 'file')
    return refusal('database', 'a standby needs a file: give --database file:/path/to/node.db');
  const options = streamOptions({ config: config.replica, broker: config.broker, signer, log });
  if (options === null)
    return refusal('replica', '--standby needs --nats: the stream is at the broker');
  let state: (() => Following) | null = null;
  const { host, port } = config.api;
  let problem: string | null = null;
  const endServing = await serveNoCalls(config.api, {
    code: 'standby',
    reason: () => reasonOf(config.replica.stream, state?.() ?? null),
    onFailure(error) {
      problem = listenProblem(error, host, port);
    },
  });
  // A standby that cannot serve must not take the place of a node that can.
  if (problem !== null) return refusal('api_address', problem);
  try {
    return await followOwner({
      ...request,
      log,
      broker: options,
      keys: replicaKeys(signer, stamp),
      stamp,
      words: NODE_WORDS,
      path: location.path,
      onFollowing(now) {
        state = now;
        request.onFollowing(now);
      },
    });
  } finally {
    await endServing();
  }
}

/** At every start: it may never have to take over until a payment is lost by it. */
async function tellSlowness(
  { config, hooks, takeoverAfterMs }: Request,
  client: ChainClient,
): Promise<void> {
  if (takeoverAfterMs === null) return;
  const blockSeconds = await secondsOfBlock(client).catch(() => null);
  const revealTimeout = config.defaultRevealTimeout;
  const slowness = slowTakeover(takeoverAfterMs, { revealTimeout, blockSeconds });
  if (slowness !== null) hooks.log.warn({}, slowness);
}

function reasonOf(stream: string, state: Following | null): string {
  const doing =
    state === null
      ? 'it builds its database'
      : `it has followed to record ${state.at.sequence}, ${(state.silentMs / 1_000).toFixed(1)} s ago`;
  return `Another node writes the stream ${stream}; this one waits to take its place: ${doing}.`;
}
