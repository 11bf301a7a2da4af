/** Claims the key and the database of a node for this process alone, and only when they belong together. */
import { join } from 'node:path';
import type { Address } from '../../basics/hex.ts';
import { freezeChannels } from '../../node/chain/freeze.ts';
import type { NodeSettings, SafeMode } from '../../node/runtime/parts.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import { keyLockFile, lockKey } from '../../store/durability/lock.ts';
import type { OpenedStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { type Problem, refusal, type Started, type StartRefusal } from '../base/refusal.ts';
import { systemClock } from '../base/system.ts';
import type { NodeConfig, NodeHooks } from '../node-config.ts';
import type { Waiting } from '../replica/await-stream.ts';
import { leaveReplica, placeIn } from '../replica/leave-replica.ts';
import { replicaKeys, streamOptions } from '../replica/node-stream.ts';
import { type OpenReplica, openReplica } from '../replica/open-replica.ts';
import { NODE_WORDS } from '../replica/replica-words.ts';
import { type DiskRoom, keepRoom } from './disk-room.ts';
import { keepNotes } from './high-water-notes.ts';
import { openDatabase } from './open-database.ts';

export type Claimed = {
  ok: true;
  /** The file of the key's lock. */
  lock: string;
  store: Store;
  database: string;
  stamp: Stamp;
  /** The space that is kept free on the disk; null: none. */
  room: DiskRoom | null;
  /** Why nothing may be promised on this database, or null. */
  safeMode: SafeMode | null;
  /** Null: the database is replicated nowhere. */
  replica: OpenReplica | null;
  /** The stream of the replica cannot be used yet, and the store is a copy in memory; null: it can. */
  waiting: Waiting | null;
  release(): Promise<void>;
};
type Request = {
  config: Pick<
    NodeConfig,
    | 'database'
    | 'acceptedDatabase'
    | 'dataFolder'
    | 'stateFolder'
    | 'minFreeBytes'
    | 'replica'
    | 'leaveStream'
    | 'broker'
    | 'version'
  >;
  settings: Pick<NodeSettings, 'chainId' | 'contracts'>;
  hooks: Pick<NodeHooks, 'signer' | 'log'>;
  /** As `onEnd` of `openReplica`. */
  onReplicaEnd(reason: string, isOrdered: boolean): void;
  /** As `onRenewal` of `openReplica`. */
  onRenewal(): void;
};

/** The name of a node's files, made of chain, contracts and address. */
export function nodeName(chainId: bigint, registry: Address, address: Address): string {
  return `${chainId}-${registry.slice(2, 10)}-${address}`;
}

/** The database of the node with this name when none is configured. */
export function defaultDatabase(dataFolder: string, name: string): string {
  return `file:${join(dataFolder, name, 'node.db')}`;
}

/** The file that notes how far the database of the node with this name has come. */
export function highWaterFile(stateFolder: string, name: string): string {
  return join(stateFolder, `${name}.high-water`);
}

/** Claims key and database, and the stream of the replica. `release` gives all back. */
export async function claim({
  config,
  settings,
  hooks,
  onReplicaEnd,
  onRenewal,
}: Request): Promise<Claimed | StartRefusal> {
  const { chainId, contracts } = settings;
  const { address } = hooks.signer;
  const registry = contracts.tokenNetworkRegistryAddress;
  const locked = { folder: config.stateFolder, name: `${chainId}-${address}` };
  const lock = keyLockFile(locked.folder, locked.name);
  const key = lockKey(locked);
  if (!key.ok) {
    const what = `another process on this machine runs the node ${address} on chain ${chainId}`;
    return refusal('key_in_use', `${what}: stop it first, one key must never run twice`);
  }
  const name = nodeName(chainId, registry, address);
  const database = config.database ?? defaultDatabase(config.dataFolder, name);
  const stamp = { chainId, tokenNetworkRegistry: registry, ownAddress: address };
  const file = highWaterFile(config.stateFolder, name);
  const highWater = { file, accepted: config.acceptedDatabase ?? null };
  const room = keepRoom(database, config.minFreeBytes ?? 0, hooks.log);
  const reserve = room === null ? {} : { reserve: room.reserve };
  const elsewhere = [join(config.stateFolder, `${name}.db`)];
  const given = { config, hooks, onReplicaEnd, onRenewal };
  const replicated = await replicaOf(given, database, stamp);
  const guarded = replicated.ok
    ? null
    : guardedCopy(replicated, { config, hooks, database, stamp });
  const facts = { ok: true, lock, database, stamp } as const;
  if (guarded !== null) {
    const release = async () => {
      guarded.store.close();
      key.release();
    };
    return { ...facts, ...guarded, room: null, replica: null, release };
  }
  if (!replicated.ok) {
    key.release();
    return replicated;
  }
  const replica = replicated.value;
  const replicating = replica === null ? {} : { replica: replica.replica };
  const opened = openDatabase(
    { url: database, stamp, highWater, elsewhere, ...reserve, ...replicating },
    hooks.log,
  );
  if (!opened.ok) {
    await replica?.close();
    key.release();
    return refusal('database', opened.message);
  }
  const { store, safeMode } = opened;
  replica?.start();
  // Of a replicated database the stream has said how far it had come.
  settle(replica === null ? opened : { ...opened, isUnmarked: false }, hooks);
  // A database in memory is never noted as the newest database of a key.
  const endNotes =
    store.file !== null ? keepNotes({ store, file, log: hooks.log, clock: systemClock }) : () => {};
  const release = async () => {
    store.close();
    endNotes();
    await replica?.close();
    key.release();
  };
  return { ...facts, store, room, safeMode, replica, release, waiting: null };
}

type Copied = Pick<Request, 'config' | 'hooks'> & { database: string; stamp: Stamp };

const WAITED_FOR: readonly Problem[] = ['replica_away', 'replica_lost', 'unfit'];

/**
 * A copy of the database in memory, from which deadlines are kept until the stream can be used; null when that is not
 * what refuses the start, or nothing is to be guarded. Who never had the stream, and a standby that takes over, is not
 * its owner.
 */
function guardedCopy(
  { problem, message }: StartRefusal,
  { config, hooks, database: url, stamp }: Copied,
): { store: Store; safeMode: SafeMode; waiting: Waiting } | null {
  const place = placeIn(url);
  const isOwner = place?.isOwner === true && config.replica?.takesFrom == null;
  if (!isOwner || !WAITED_FOR.includes(problem)) return null;
  const copy = openDatabase({ url, stamp, isCopy: true }, hooks.log);
  if (!copy.ok) return null;
  if (copy.store.cursor() === null) {
    copy.store.close();
    return null;
  }
  const reason = `${message}. Until then deadlines are kept, from a copy of the database in memory, and nothing else is done`;
  hooks.log.error({}, reason);
  const waiting = { place, problem };
  return { store: copy.store, safeMode: { reason, isCloseHeld: true }, waiting };
}

async function replicaOf(
  { config, hooks, onReplicaEnd, onRenewal }: Omit<Request, 'settings'>,
  database: string,
  stamp: Stamp,
): Promise<Started<OpenReplica | null>> {
  const { replica = null, broker, version } = config;
  if (replica === null)
    return (
      leaveReplica({
        ...{ ...hooks, database, stamp, who: 'node' },
        code: config.leaveStream ?? null,
      }) ?? {
        ok: true,
        value: null,
      }
    );
  const options = streamOptions({ ...hooks, config: replica, broker });
  if (options === null)
    return refusal('replica', '--replicate needs --nats: the stream is at the broker');
  return openReplica({
    log: hooks.log,
    config: replica,
    broker: options,
    keys: replicaKeys(hooks.signer, stamp),
    words: NODE_WORDS,
    database,
    stamp,
    version,
    onEnd: onReplicaEnd,
    onRenewal,
  });
}

/** Freezes the channels of an old copy before accepting it: after a crash in between it is still refused. */
function settle({ store, doubt, isUnmarked }: OpenedStore, { log }: Request['hooks']): void {
  if (isUnmarked)
    log.warn(
      {},
      'this machine has no note of how far the database had come: make sure that it is the newest copy',
    );
  if (doubt === null) return;
  const frozen = freezeChannels(store, systemClock.now());
  store.acceptCopy();
  log.warn(
    { channels: frozen.length },
    'an old copy of the database was accepted: the channels that are open can only be closed',
  );
}
