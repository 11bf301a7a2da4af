/** Follows the stream of another process into a database of its own, until it is time to take that one's place. */
import { existsSync, renameSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../basics/environment.ts';
import { messageOf } from '../../basics/message-of.ts';
import { toldOnce } from '../../basics/told-once.ts';
import { openControl } from '../../replica/control.ts';
import { connectJetStream } from '../../replica/jetstream.ts';
import { openRecord, type RecordKeys } from '../../replica/record.ts';
import { restore } from '../../replica/restore.ts';
import { createStandby, type Following } from '../../replica/standby.ts';
import type { RecordStream } from '../../replica/stream.ts';
import { schemaVersion } from '../../store/base/migrate.ts';
import { createPrivateFolder } from '../../store/durability/lock.ts';
import { openReplay } from '../../store/durability/replay.ts';
import { refusal, type StartRefusal } from '../base/refusal.ts';
import { systemClock } from '../base/system.ts';
import type { ReplicaPlace } from './open-replica.ts';

/** How it waits, whatever it follows. */
export type StandingBy = {
  /** Milliseconds of silence after which it takes over; null: never by itself. */
  takeoverAfterMs: number | null;
  /** Its database is not what the stream says, or cannot go on from there: it is built again first. */
  isBuiltAnew: boolean;
  /** Aborted when the process should end. */
  stop: AbortSignal;
  /** Called with what it follows as soon as it does. */
  onFollowing(state: () => Following): void;
};
type Request = ReplicaPlace & StandingBy & { path: string; log: Log };
/** `due`: as in `StandbyEnd`. */
export type StoodBy =
  | { ok: true; type: 'due'; takesFrom: number | null; isOrdered: boolean }
  | { ok: true; type: 'stopped' }
  | StartRefusal;

type Parts = Pick<StandingBy, 'onFollowing'> & {
  stream: RecordStream;
  /** Aborted when somebody orders the takeover. */
  order: AbortSignal;
};

const RETRY_MS = 2_000;

/** Resolves when the stream is to be taken. Goes on by itself when the stream is away or has to be read again. */
export async function followOwner(request: Request): Promise<StoodBy> {
  const { broker, keys, path } = request;
  const stream = connectJetStream(broker);
  const order = new AbortController();
  let state: (() => Following) | null = null;
  const closeControl = openControl({
    ...broker,
    keys,
    state: () => answerOf(state?.() ?? null),
    orders: { takeover: () => order.abort() },
  });
  const onFollowing = (now: () => Following) => {
    state = now;
    request.onFollowing(now);
  };
  createPrivateFolder(dirname(path));
  try {
    return await followOnAndOn(request, { stream, order: order.signal, onFollowing });
  } finally {
    await closeControl();
    await stream.close();
  }
}

function answerOf(state: Following | null) {
  const { at, epoch, silentMs } = state ?? { at: { sequence: 0 }, epoch: null, silentMs: 0 };
  const own = { role: 'standby', host: hostname(), pid: process.pid } as const;
  return { ...own, sequence: at.sequence, epoch, silentMs, isServing: false, isLost: false };
}

async function followOnAndOn(request: Request, parts: Parts): Promise<StoodBy> {
  const { log, path } = request;
  let isBuilt = hasContent(path) && !request.isBuiltAnew;
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
  { stream, order, onFollowing }: Parts,
): Promise<StoodBy> {
  const { keys, stamp, path, log, takeoverAfterMs, stop } = request;
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
      schema: schemaVersion(stamp.service).toString(),
      takeoverAfterMs,
      clock: systemClock,
      order,
      stop,
      onTrouble: (message) => log.warn({}, `the stream cannot be followed: ${message}`),
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
async function build(request: Request, { stream }: Parts): Promise<StartRefusal | null> {
  const { keys, path, stamp, log, stop, broker, words } = request;
  const makeRoom = () => setAside(path);
  const { report } = toldOnce((reason) => log.warn({}, reason));
  while (!stop.aborted) {
    const restored = await restore({ stream, keys, path, stamp, makeRoom }).catch(
      (error: unknown) => ({ ok: false as const, message: messageOf(error) }),
    );
    if (restored.ok) {
      const { records, last } = restored;
      log.info({ records, last }, 'the database was built from the stream');
      return null;
    }
    // A standby that has followed already stays: somebody without the key has written into its stream.
    if (!hasContent(path) && (await isForeign(stream, keys)))
      return refusal(
        'replica',
        `the newest record of the stream ${broker.name} was not sealed ${words.keys}`,
      );
    report(
      `the database cannot be built from the stream yet: ${restored.message}. A new stream needs its ${words.who} once without --standby`,
    );
    await delay(RETRY_MS, null, { signal: stop }).catch(() => null);
  }
  return null;
}

async function isForeign(stream: RecordStream, keys: RecordKeys): Promise<boolean> {
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
