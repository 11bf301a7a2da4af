/** Opens the stream to which a database is replicated, and takes it for this process. */
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../basics/environment.ts';
import { type Fence, fenceOf } from '../../partner/key-proof.ts';
import { askControls, openControl } from '../../replica/control.ts';
import { describeOwner } from '../../replica/find-end.ts';
import { connectJetStream, type JetStreamOptions } from '../../replica/jetstream.ts';
import { ownStream } from '../../replica/ownership.ts';
import { decodeOwner, type StreamOwner } from '../../replica/reader.ts';
import { openRecord, type RecordKeys } from '../../replica/record.ts';
import { sendSnapshot } from '../../replica/snapshot.ts';
import { createSnapshots } from '../../replica/snapshots.ts';
import type { RecordStream } from '../../replica/stream.ts';
import { createRecordWriter, type ReplicaMode, type Writer } from '../../replica/writer.ts';
import { schemaVersion } from '../../store/base/migrate.ts';
import type { AnyStamp } from '../../store/base/stamp.ts';
import { openReplay } from '../../store/durability/replay.ts';
import type { Replica } from '../../store/durability/replication.ts';
import { refusal, type Started, started } from '../base/refusal.ts';
import { systemClock } from '../base/system.ts';
import { type ReplicaWords, streamRefusal } from './replica-words.ts';
import { createStandbyWatch, type StandbyWatch } from './standby-watch.ts';

/** `stream`: its name at the broker, see `isStreamName`. */
export type ReplicaConfig = {
  stream: string;
  mode: ReplicaMode;
  /** As in `OwnOptions`. Default null. */
  takesFrom?: number | null;
  /** Whether somebody has ordered the takeover: then the owner is asked to make room. */
  isOrdered?: boolean;
  /** As in `OwnOptions`. */
  renews?: boolean;
};

export type OpenReplica = {
  replica: Replica;
  /** Since when the stream is away, in milliseconds since 1970, and why; null while it can be reached. */
  trouble(): { since: number; message: string } | null;
  isWaitedFor(): boolean;
  standby: StandbyWatch;
  /** The stream, when nothing leaves before it has the record: then it keeps out whoever has not the newest epoch. */
  fence: Fence;
  /** See `ReplicaWatch`. */
  hasTakenOver: boolean;
  isEnded(): boolean;
  /** To be called when the database is open: sends copies of it when the stream needs one. */
  start(): void;
  /** Sets how operators who ask are told whether the node takes calls. */
  tellServing(isServing: () => boolean): void;
  close(): Promise<void>;
};

/** A stream, and whose database goes there. */
export type ReplicaPlace = {
  /** How the stream is reached. */
  broker: JetStreamOptions;
  keys: RecordKeys;
  stamp: AnyStamp;
  words: ReplicaWords;
};
type Request = ReplicaPlace & {
  config: ReplicaConfig;
  /** As `openStore` takes it. */
  database: string;
  version: string;
  log: Log;
  /**
   * Called once, when another process owns the stream: nothing may be signed any more. `isOrdered`: that one was told to
   * take over.
   */
  onEnd(reason: string, isOrdered: boolean): void;
  /** Called when the operator has put an empty stream into the place of one that was lost: the node has to begin again. */
  onRenewal?(): void;
};

/** For so long a takeover is what somebody has ordered before. */
const ORDERED_MS = 60_000;

/** More often than an owner that is asked to hold its records goes on by itself. */
const HOLD_AGAIN_MS = 800;

export async function openReplica(request: Request): Promise<Started<OpenReplica>> {
  const stream = connectJetStream(request.broker);
  const opened = await own(request, stream);
  if (!opened.ok) await stream.close();
  return opened;
}

async function own(request: Request, stream: RecordStream): Promise<Started<OpenReplica>> {
  const { config, broker, keys, stamp, words, log } = request;
  const replay = openReplay(request.database, stamp);
  if (!replay.ok) return refusal('database', replay.message);
  const { path } = replay.value;
  dropCopies(path);
  const owner = ownerOf(request.version, stamp);
  const takesFrom = config.takesFrom ?? null;
  const quieten =
    config.isOrdered === true ? (from: number) => askToHold({ ...broker, keys }, from) : null;
  const { renews = false } = config;
  const own = { stream, keys, replay: replay.value, owner, takesFrom, quieten, renews };
  const owned = await ownStream(own);
  replay.value.close();
  if (!owned.ok) return streamRefusal(config.stream, owned, words);
  log.info({ stream: config.stream, epoch: owned.epoch }, `the ${words.who} owns its stream`);
  const { epoch, start } = owned;
  const taken = new AbortController();
  let orderedAt = Number.NEGATIVE_INFINITY;
  let isServing = () => false;
  const writer = createRecordWriter({
    stream,
    keys,
    epoch,
    start,
    mode: config.mode,
    clock: systemClock,
    onTrouble(message) {
      if (message === null) log.info({}, 'the stream of the replica is back');
      else log.warn({ reason: message }, words.away[config.mode]);
    },
    onTaken(after) {
      taken.abort();
      const isOrdered = systemClock.elapsed() - orderedAt < ORDERED_MS;
      request.onEnd(`another ${words.who} has taken the stream ${config.stream}`, isOrdered);
      void tellWho({ stream, keys, log }, after + 1, isOrdered ? 'warn' : 'error');
    },
  });
  if (
    owned.hasGap &&
    !(await sendWhatIsMissing({ writer, stream, owner, file: path, log }, taken))
  ) {
    writer.close();
    const message = `another ${words.who} owns the stream`;
    return streamRefusal(config.stream, { ok: false, problem: 'taken_over', message }, words);
  }
  const { onRenewal } = request;
  const closeControl = openControl({
    ...broker,
    keys,
    state: () => stateOf({ owner, epoch, writer, isServing: () => isServing() }),
    orders: {
      takeover() {
        orderedAt = systemClock.elapsed();
      },
      hold: writer.hold,
      ...(onRenewal === undefined ? {} : { renew: () => onRenewal() }),
    },
  });
  const bases = createSnapshots({
    writer,
    stream,
    owner,
    file: path,
    clock: systemClock,
    log,
    isNeeded: !owned.hasGap && (owned.needsBase || !(await hasBase(stream))),
  });
  return started({
    replica: writer.replica,
    trouble: writer.trouble,
    isWaitedFor: writer.replica.isWaitedFor,
    standby: createStandbyWatch({
      ask: (isEnough) => askControls({ ...broker, keys }, { ask: 'status', epoch, isEnough }),
      acknowledged: () => writer.acknowledged().sequence,
      now: systemClock.now,
    }),
    fence: config.mode === 'sync' ? fenceOf(config.stream, owned.madeAt) : null,
    hasTakenOver: config.mode === 'sync' && takesFrom !== null,
    isEnded: writer.isEnded,
    start: bases.start,
    tellServing(asked) {
      isServing = asked;
    },
    async close() {
      await closeControl();
      bases.stop();
      writer.close();
      await stream.close();
    },
  });
}

/**
 * The disk has transactions that never came into the stream. Nothing may follow from them before the stream has a copy
 * with them: whoever follows could not know them. False when another node takes the stream meanwhile.
 */
async function sendWhatIsMissing(
  { log, ...sending }: Parameters<typeof sendSnapshot>[0] & { log: Log },
  taken: AbortController,
): Promise<boolean> {
  log.info({}, 'the stream lacks what this database has: a copy is sent first');
  const { signal } = taken;
  const isTaken = new Promise<false>((resolve) => {
    if (signal.aborted) resolve(false);
    signal.addEventListener('abort', () => resolve(false));
  });
  return Promise.race([sendSnapshot(sending).then(() => true), isTaken]);
}

type Owning = { owner: StreamOwner; epoch: number; writer: Writer; isServing(): boolean };

/** What the owner tells who asks. */
function stateOf({ owner: { host, pid }, epoch, writer, isServing }: Owning) {
  const { sequence } = writer.acknowledged();
  const own = { role: 'owner', host, pid, sequence, epoch, silentMs: 0 } as const;
  return { ...own, isServing: isServing(), isLost: writer.isLost() };
}

/**
 * The node that owns the stream in this epoch, if it hears it, writes nothing until the returned function is called. It
 * would go on after a moment, should this process die.
 */
async function askToHold(
  options: Parameters<typeof askControls>[0],
  epoch: number,
): Promise<() => void> {
  const isEnough = () => true;
  const ask = () => askControls(options, { ask: 'hold', epoch, isEnough }).catch(() => []);
  await ask();
  return systemClock.every(HOLD_AGAIN_MS, () => void ask());
}

/** An owner may have died before it had sent its first copy. */
async function hasBase(stream: RecordStream): Promise<boolean> {
  const found = await stream.newest('base').catch(() => null);
  return found !== null;
}

/** Logs who has taken the stream, if the record says so. */
async function tellWho(
  { stream, keys, log }: { stream: RecordStream; keys: RecordKeys; log: Log },
  sequence: number,
  level: 'warn' | 'error',
): Promise<void> {
  const bytes = await stream.read(sequence).catch(() => null);
  const opened = bytes === null ? null : openRecord(keys, bytes);
  if (opened?.head.kind !== 'epoch') return;
  log[level]({ epoch: opened.head.epoch }, describeOwner(decodeOwner(opened.content)));
}

function ownerOf(version: string, { service }: AnyStamp): StreamOwner {
  return {
    host: hostname(),
    pid: process.pid,
    time: systemClock.now(),
    version,
    schema: schemaVersion(service).toString(),
  };
}

/** Removes what a process left behind that died while it copied the database. */
function dropCopies(path: string): void {
  const prefix = `${basename(path)}.base-`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(prefix)) rmSync(join(dirname(path), name), { force: true });
}
