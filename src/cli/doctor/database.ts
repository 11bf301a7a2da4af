/** Checks whether the database exists, is undamaged, belongs to this node, and is the newest copy. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../basics/message-of.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import { type Doubt, readHighWater } from '../../store/durability/high-water.ts';
import { parseLocation } from '../../store/durability/location.ts';
import { type Inspection, inspectDatabase } from '../../store/inspect.ts';
import { freeSpace } from './files.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** `highWater`: the file that notes how far the key's database has come. */
export type DatabaseRequest = {
  url: string;
  stamp: Stamp;
  highWater: string;
  /** The code that --accept-database gives, or null. */
  accepted: string | null;
};
/** `channels`, `pending`: how many channels and pending payments it holds. */
type DatabaseFindings = { findings: Finding[]; channels: number; pending: number };

/** The files that only this user should be able to read. */
export function databaseFiles(url: string): string[] {
  const location = parseLocation(url);
  if (location.kind !== 'file') return [];
  return ['', '-wal', '-shm', '.lock'].map((suffix) => `${location.path}${suffix}`);
}

export function checkDatabase(request: DatabaseRequest): DatabaseFindings {
  const { url, highWater } = request;
  const location = parseLocation(url);
  const nothing = (...findings: Finding[]) => ({ findings, channels: 0, pending: 0 });
  if (location.kind === 'unsupported')
    return nothing(failed('database', location.message, 'correct --database'));
  if (location.kind === 'memory')
    return nothing(
      warning('database', 'in memory: everything is lost with the process', 'use a file'),
    );
  const inspection = looked(location.path, request);
  if (typeof inspection === 'string')
    return nothing(
      failed('database', inspection, 'restore it from a backup, or correct --database'),
    );
  const space = existsSync(dirname(location.path)) ? freeSpace(dirname(location.path)) : [];
  if (inspection === null) return nothing(...absent(location.path, highWater), ...space);
  return {
    findings: [...findingsOf(location.path, inspection, request), ...space],
    channels: inspection.facts?.channels ?? 0,
    pending: inspection.facts?.pending ?? 0,
  };
}

/** Inspects the database; null when it does not exist, text when it cannot be read. */
function looked(path: string, { stamp, highWater }: DatabaseRequest): Inspection | string | null {
  try {
    return inspectDatabase(path, stamp, highWater);
  } catch (error) {
    return `${path} cannot be read: ${messageOf(error)}`;
  }
}

function absent(path: string, highWater: string): Finding[] {
  if (readHighWater(highWater) === null)
    return [ok('database', `${path} will be made at the first start`)];
  const found = `${path} is missing, and this key has worked with a database`;
  return [failed('database', found, 'give --database the one that it worked with')];
}

function findingsOf(
  path: string,
  inspection: Inspection,
  { highWater, accepted }: DatabaseRequest,
): Finding[] {
  const { facts, refusal, damage, doubt, isInUse, schema } = inspection;
  if (refusal !== null) return [failed('database', `${path}: ${refusal}`, 'correct --database')];
  if (damage[0] !== undefined)
    return [failed('database', `${path} is damaged: ${damage[0]}`, 'restore it from a backup')];
  const use = isInUse ? 'in use by a running node' : 'not in use';
  const content =
    facts === null
      ? 'empty'
      : `${facts.channels} channels, ${facts.payments} payments, block ${facts.block ?? '-'}`;
  const upgrade =
    facts !== null && facts.schema < schema ? `, schema ${facts.schema} becomes ${schema}` : '';
  return [
    ok('database', `${path}: sound, ${use}, ${content}${upgrade}`),
    doubt === null ? newestFinding(highWater) : doubtFinding(doubt, accepted),
  ];
}

function doubtFinding({ code, message }: Doubt, accepted: string | null): Finding {
  if (code !== accepted) return failed('newest copy', 'no', message);
  return warning('newest copy', 'no, and it is accepted', 'close its channels after the start');
}

function newestFinding(highWater: string): Finding {
  if (readHighWater(highWater) !== null)
    return ok('newest copy', 'as far as this machine has noted');
  const advice = 'make sure by other means that it is not an old copy';
  return warning('newest copy', 'there is no note on this machine', advice);
}
