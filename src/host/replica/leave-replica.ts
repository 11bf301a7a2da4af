/** A database that a stream knows, opened without that stream: what it does from then on is missing there. */
import { existsSync, statSync } from 'node:fs';
import type { Log } from '../../basics/environment.ts';
import { decodePosition, type StreamPosition } from '../../replica/position.ts';
import type { AnyStamp } from '../../store/base/stamp.ts';
import { parseLocation } from '../../store/durability/location.ts';
import { openReplay, readPlace } from '../../store/durability/replay.ts';
import { refusal, type StartRefusal } from '../base/refusal.ts';
import type { ReplicaWords } from './replica-words.ts';

type Leaving = {
  database: string;
  stamp: AnyStamp;
  who: ReplicaWords['who'];
  log: Log;
  /** By which the operator says that it is meant; null: nothing was said. */
  code: string | null;
};

/**
 * Forgets the place in the stream, so that the database is never taken for one that goes on from there; null unless the
 * operator has not said so by the code. That of a standby, which may lack what was paid last, counts as a backup from
 * then on. Whatever else is wrong with it is seen when it is opened.
 */
export function leaveReplica({ database, stamp, who, log, code }: Leaving): StartRefusal | null {
  const noted = placeIn(database);
  if (noted === null) return null;
  // It fits this database as it is, and no later one.
  const wanted = noted.at.tag.slice(0, CODE_DIGITS);
  if (code !== wanted) return (noted.isOwner ? mayBeReplaced : isStandby)(who, wanted);
  const copiedAt = noted.isOwner ? null : writtenAt(database);
  const opened = openReplay(database, stamp);
  if (!opened.ok) return null;
  opened.value.leave(copiedAt);
  opened.value.close();
  log.warn(
    {},
    'the database is replicated no more. To replicate it again, make another stream with "sluice replica create"',
  );
  return null;
}

const CODE_DIGITS = 8;

const mayBeReplaced = (who: string, code: string) =>
  refusal(
    'replica',
    `the database is replicated, and --replicate is not given: give it. If the ${who} is to run without its stream from now on, and no other one has taken its place, start it once with "--leave-stream ${code}"`,
  );

const isStandby = (who: string, code: string) =>
  refusal(
    'taken_over',
    `this database follows the stream of another ${who}. Start it with --replicate and --standby. If that ${who}, its disk and the stream are all lost, start it once with "--leave-stream ${code}": it counts as a backup then`,
  );

/** The place in a stream that the database notes; null: none, or it cannot be read. */
export function placeIn(database: string): StreamPosition | null {
  const location = parseLocation(database);
  if (location.kind !== 'file') return null;
  const { path } = location;
  try {
    const noted = existsSync(path) && statSync(path).size > 0 ? readPlace(path).place : null;
    return noted === null ? null : decodePosition(noted);
  } catch {
    return null;
  }
}

/** When the file of the database was written last, for people. */
function writtenAt(database: string): string {
  const location = parseLocation(database);
  const files = location.kind === 'file' ? [location.path, `${location.path}-wal`] : [];
  const times = files.filter(existsSync).map((file) => statSync(file).mtimeMs);
  return new Date(Math.max(0, ...times)).toISOString();
}
