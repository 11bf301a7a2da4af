/** A node that waits: it follows the stream of another node with the same key, until it has to take that one's place. */
import { existsSync, renameSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../basics/message-of.ts';
import { toldOnce } from '../basics/told-once.ts';
import { secondsOfBlock } from '../chain/block-time.ts';
import type { ChainClient } from '../chain/client.ts';
import { openControl } from '../replica/control.ts';
import { connectJetStream } from '../replica/jetstream.ts';
import { openRecord, type RecordKeys } from '../replica/record.ts';
import { restore } from '../replica/restore.ts';
import { createStandby, type Following } from '../replica/standby.ts';
import type { RecordStream } from '../replica/stream.ts';
import { schemaVersion } from '../store/base/migrate.ts';
import { parseLocation } from '../store/durability/location.ts';
import { createPrivateFolder } from '../store/durability/lock.ts';
import { openReplay } from '../store/durability/replay.ts';
import { refusal, type StartRefusal } from './base/refusal.ts';
import { systemClock } from './base/system.ts';
import { checkChain } from './check-chain.ts';
import { defaultDatabase, nodeName } from './database/claim.ts';
import { listenProblem } from './node-api.ts';
import type { NodeConfig, NodeHooks } from './node-config.ts';
import { slowTakeover } from './node-timeouts.ts';
import { type ReplicaConfig, replicaKeys, streamOptions } from './replica/open-replica.ts';
import { serveNoCalls } from './serve-no-calls.ts';

type Request = {
  config: NodeConfig & { replica: ReplicaConfig };
  hooks: Pick<NodeHooks, 'signer' | 'log'>;
  /** Milliseconds of silence after which it takes over; null: never by itself. */
  takeoverAfterMs: number | null;
  /** Its database is not what the stream says, or cannot go on from there: it is built again first. */
  isBuiltAnew: boolean;
  /** Aborted when the process should end. */
  stop: AbortSignal;
  /** Called with what it follows as soon as it does. */
  onFollowing(state: () => Following): void;
};
/** `due`: as in `StandbyEnd`. */
export type StoodBy =
  | { ok: true; type: 'due'; takesFrom: number | null; isOrdered: boolean }
  | { ok: true; type: 'stopped' }
  | StartRefusal;

const RETRY_MS = 2_000;

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
  const keys = replicaKeys(signer, stamp);
  const stream = connectJetStream(options);
  const order = new AbortController();
  const closeControl = openControl({
    ...options,
    keys,
    state: () => answerOf(state?.() ?? null),
    orders: { takeover: () => order.abort() },
  });
  const parts = { stream, keys, stamp, path: location.path, order: order.signal };
  createPrivateFolder(dirname(location.path));
  try {
    return await followOnAndOn(
      {
        ...request,
        onFollowing(now) {
          state = now;
          request.onFollowing(now);
        },
      },
      parts,
    );
  } finally {
    await endServing();
    await closeControl();
    await stream.close();
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

type Parts = {
  stream: RecordStream;
  keys: RecordKeys;
  stamp: Parameters<typeof openReplay>[1];
  path: string;
  /** Aborted when somebody orders the takeover. */
  order: AbortSignal;
};

function answerOf(state: Following | null) {
  const { at, epoch, silentMs } = state ?? { at: { sequence: 0 }, epoch: null, silentMs: 0 };
  const own = { role: 'standby', host: hostname(), pid: process.pid } as const;
  return { ...own, sequence: at.sequence, epoch, silentMs, isServing: false, isLost: false };
}

function reasonOf(stream: string, state: Following | null): string {
  const doing =
    state === null
      ? 'it builds its database'
      : `it has followed to record ${state.at.sequence}, ${(state.silentMs / 1_000).toFixed(1)} s ago`;
  return `Another node writes the stream ${stream}; this one waits to take its place: ${doing}.`;
}

async function followOnAndOn(request: Request, parts: Parts): Promise<StoodBy> {
  const { log } = request.hooks;
  let isBuilt = hasContent(parts.path) && !request.isBuiltAnew;
  while (!request.stop.aborted) {
    const refused = isBuilt ? null : await build(request, parts);
    if (refused !== null) return refused;
    if (request.stop.aborted) break;
    const end = await followOnce(request, parts);
    if (!('problem' in end) || end.problem !== 'replica') return end;
    log.warn({}, `${end.message}: the database is built again from the stream`);
    isBuilt = false;
    await delay(RETRY_MS, null, { signal: request.stop }).catch(() => null);
  }
  return { ok: true, type: 'stopped' };
}

async function followOnce(
  request: Request,
  { stream, keys, stamp, path, order }: Parts,
): Promise<StoodBy> {
  const { hooks, takeoverAfterMs, stop, onFollowing } = request;
  const opened = openReplay(`file:${path}`, stamp);
  if (!opened.ok) return refusal('database', opened.message);
  const replay = opened.value;
  try {
    if (replay.place() === null)
      return refusal(
        'database',
        `${path} was never replicated: a standby begins with a file of its own`,
      );
    const standby = createStandby({
      stream,
      keys,
      replay,
      schema: schemaVersion().toString(),
      takeoverAfterMs,
      clock: systemClock,
      order,
      stop,
      onTrouble: (message) => hooks.log.warn({}, `the stream cannot be followed: ${message}`),
    });
    onFollowing(standby.state);
    const end = await standby.run();
    if (end.type === 'problem') return refusal('replica', end.message);
    return { ok: true, ...end };
  } finally {
    replay.close();
  }
}

const hasContent = (path: string) => existsSync(path) && statSync(path).size > 0;

/**
 * Builds the database from the stream, as soon as that holds a copy; until then, the one that is there stays. Refused
 * when there is none yet, and the stream is that of another node; null when it is built, or when the process should end.
 */
async function build(request: Request, parts: Parts): Promise<StartRefusal | null> {
  const { hooks, stop, config } = request;
  const makeRoom = () => setAside(parts.path);
  const { report } = toldOnce((reason) => hooks.log.warn({}, reason));
  while (!stop.aborted) {
    const restored = await restore({ ...parts, makeRoom }).catch((error: unknown) => ({
      ok: false as const,
      message: messageOf(error),
    }));
    if (restored.ok) {
      const { records, last } = restored;
      hooks.log.info({ records, last }, 'the database was built from the stream');
      return null;
    }
    // A standby that has followed already stays: somebody without the key has written into its stream.
    if (!hasContent(parts.path) && (await isForeign(parts)))
      return refusal(
        'replica',
        `the newest record of the stream ${config.replica.stream} was not sealed by this key, for this chain and these contracts: check --replicate, --address and --contracts`,
      );
    report(
      `the database cannot be built from the stream yet: ${restored.message}. A new stream needs its node once without --standby`,
    );
    await delay(RETRY_MS, null, { signal: stop }).catch(() => null);
  }
  return null;
}

async function isForeign({ stream, keys }: Parts): Promise<boolean> {
  try {
    const newest = (await stream.bounds())?.last ?? 0;
    const bytes = newest === 0 ? null : await stream.read(newest);
    return bytes !== null && openRecord(keys, bytes) === null;
  } catch {
    return false;
  }
}

/** What this database has besides the stream was never seen by anybody; it is kept all the same. */
function setAside(path: string): void {
  const kept = `${path}.replaced-${Date.now()}`;
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
}
