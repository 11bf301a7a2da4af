/**
 * Looks where the stream of a node ends, and whether its database goes on from there; brings the database there when it
 * lacks some of it.
 */
import type { Replay } from '../store/durability/replay.ts';
import { createCatchUp } from './catch-up.ts';
import type { Sending, StreamPoint, StreamPosition } from './position.ts';
import { createRecordReader, type StreamOwner } from './reader.ts';
import { NO_LINK, openRecord, type RecordKeys } from './record.ts';
import type { Bounds, RecordStream } from './stream.ts';

/**
 * `taken_over`: another node has owned the stream since; `alive`: the node whose silence was the reason writes again;
 * `diverged`: another node has owned it, and this database has transactions that never arrived, of which nothing has followed; `behind`: the stream lacks what this database knows to be in
 * it; `foreign`: stream and database do not belong together; `broken`: somebody has changed the stream; `forgotten`:
 * the stream has forgotten what this database lacks; `unfit`: this database cannot take what it lacks; `away`: the
 * stream cannot be reached; `unmade`: there is none.
 */
export type OwnProblem =
  | 'taken_over'
  | 'alive'
  | 'diverged'
  | 'behind'
  | 'foreign'
  | 'broken'
  | 'forgotten'
  | 'unfit'
  | 'away'
  | 'unmade';
export type NotOwned = { ok: false; problem: OwnProblem; message: string; owner?: StreamOwner };

export type FindOptions = {
  stream: RecordStream;
  keys: RecordKeys;
  replay: Replay;
  /**
   * The newest epoch from which the stream is taken although another node has owned it since this database did: not
   * from one that was begun after the decision. Null: from nobody.
   */
  takesFrom: number | null;
};

/** The place before the first record. */
export const STREAM_ORIGIN: StreamPoint = {
  sequence: 0,
  tag: Buffer.from(NO_LINK).toString('hex'),
};

/** `lacking`: records that the stream has to get first, up to `at`. */
export type FoundEnd = {
  ok: true;
  at: StreamPoint;
  epoch: number;
  needsBase: boolean;
  hasGap: boolean;
  lacking: readonly Sending[];
};

const BEGINNING = {
  ok: true,
  at: STREAM_ORIGIN,
  needsBase: true,
  hasGap: false,
  lacking: [],
} as const;

/** Whether the first record of the stream is one that this database has sent. */
async function beginsWith(options: FindOptions, { onTheWay }: StreamPosition): Promise<boolean> {
  const opened = await openAt(options, 1);
  return onTheWay.some(({ tag }) => tag === opened?.point.tag);
}

/** The newest record, and whether the database goes on from it; brings the database there when it lacks some. */
export async function findEnd(
  options: FindOptions,
  place: StreamPosition | null,
  { first, last }: Bounds,
): Promise<FoundEnd | NotOwned> {
  if (place === null && last === 0) return { ...BEGINNING, epoch: 0 };
  if (place === null)
    return foreign('the stream has records already, and this database is not that of their node');
  if (!place.isOwner && options.takesFrom === null)
    return {
      ok: false,
      problem: 'taken_over',
      message: 'this database follows the stream of another node',
    };
  // A stream that begins with this database: it has nothing of that yet, at most the record of the node's own epoch.
  const isFirst = place.isOwner && place.at.sequence === 0;
  if (isFirst && last === 0) return { ...BEGINNING, epoch: place.epoch };
  if (isFirst && !(await beginsWith(options, place))) return diverging(0);
  if (place.at.sequence > last)
    return (
      (await continued(options, place, last)) ??
      (await ownedSince(options, place, last)) ??
      behind(options, place, last)
    );
  if (place.at.sequence >= first) {
    const opened = await openAt(options, place.at.sequence);
    if (opened === null)
      return broken(`record ${place.at.sequence} was not sealed by this key, or cannot be read`);
    if (opened.point.tag !== place.at.tag)
      return (
        (await continued(options, place, last)) ??
        (await ownedSince(options, place, last)) ??
        diverged(options, place, first)
      );
  }
  return catchUp(options, place, last);
}

const foreign = (message: string) => ({ ok: false, problem: 'foreign', message }) as const;
const broken = (message: string) => ({ ok: false, problem: 'broken', message }) as const;

/** Somebody else's record is where this database has its newest one: that is no fault if this one never arrived. */
async function diverged(options: FindOptions, { at, acknowledged }: StreamPosition, first: number) {
  const common = acknowledged.sequence;
  const opened = common < first ? null : await openAt(options, common);
  const isCommon = common < first || opened?.point.tag === acknowledged.tag;
  if (!isCommon || common >= at.sequence)
    return broken(`record ${common} is not the one that this database knows`);
  return diverging(common);
}

/** The stream that lacks what this database knows was begun anew by another node with the key; null: it was not. */
async function ownedSince(options: FindOptions, { epoch }: StreamPosition, last: number) {
  const opened = await openAt(options, last);
  return opened !== null && opened.epoch > epoch ? diverging(0) : null;
}

function diverging(common: number) {
  const message = `the database goes on after record ${common} in another way than the stream: another node has owned that since`;
  return { ok: false, problem: 'diverged', message } as const;
}

/** The database has transactions that never arrived: null unless the stream ends with a record that it knows. */
async function continued(
  options: FindOptions,
  place: StreamPosition,
  last: number,
): Promise<FoundEnd | null> {
  const opened = await openAt(options, last);
  if (opened === null) return null;
  const known = [place.acknowledged, ...place.onTheWay].some(({ tag }) => tag === opened.point.tag);
  if (!known && !(await isOfSameEpoch(options, place.acknowledged, last))) return null;
  const { epoch } = opened;
  const lacking = lackingAfter(place, last);
  return lacking === null
    ? { ok: true, at: opened.point, epoch, needsBase: true, hasGap: true, lacking: [] }
    : { ok: true, at: place.at, epoch, needsBase: false, hasGap: false, lacking };
}

/** What the stream lacks after the record `last`, when all of it is known; else null. */
function lackingAfter({ at, onTheWay }: StreamPosition, last: number): Sending[] | null {
  const lacking = onTheWay.filter(({ sequence }) => sequence > last && sequence <= at.sequence);
  const isKnown = lacking.every(({ bytes }) => bytes !== undefined);
  const isWhole = lacking.length === at.sequence - last && lacking.at(-1)?.tag === at.tag;
  return isKnown && isWhole && lacking[0]?.sequence === last + 1 ? lacking : null;
}

/**
 * Whether all that came after the acknowledged record is of its epoch, so that the node of this database has written
 * it. Places name only some of what is on its way.
 */
async function isOfSameEpoch({ stream, keys }: FindOptions, start: StreamPoint, last: number) {
  const reader = createRecordReader(keys, start);
  while (reader.at().sequence < last) {
    const sequence = reader.at().sequence + 1;
    const bytes = await stream.read(sequence);
    const read = bytes === null ? null : reader.read(sequence, bytes);
    if (read?.ok !== true || read.step.type === 'epoch') return false;
  }
  return reader.at().sequence > start.sequence;
}

async function behind(options: FindOptions, { acknowledged }: StreamPosition, last: number) {
  const { sequence } = acknowledged;
  if (last >= sequence) {
    const opened = await openAt(options, last);
    if (opened === null || last === sequence)
      return broken(`record ${last} is not the one that this database knows`);
    return diverging(sequence);
  }
  const message = `the stream ends at record ${last}, and this database knows of ${sequence} in it`;
  return { ok: false, problem: 'behind', message } as const;
}

async function openAt({ stream, keys }: FindOptions, sequence: number) {
  const bytes = await stream.read(sequence);
  const opened = bytes === null ? null : openRecord(keys, bytes);
  if (opened === null || opened.head.sequence !== sequence) return null;
  const point: StreamPoint = { sequence, tag: Buffer.from(opened.tag).toString('hex') };
  return { point, epoch: opened.head.epoch };
}

async function catchUp(options: FindOptions, place: StreamPosition, last: number) {
  const { stream, keys, replay, takesFrom } = options;
  const reader = createRecordReader(keys, place.at);
  let other: StreamOwner | null = null;
  let isOwner = place.isOwner;
  const catching = createCatchUp({
    stream,
    reader,
    replay,
    hasGap: !place.isOwner && place.hasGap === true,
    onTheWay: place.onTheWay,
    isOwner: () => isOwner,
    onEpoch(epoch, owner, { tag }) {
      if (place.onTheWay.some((known) => known.tag === tag)) return;
      // Also from an owner whose place is to be taken: should that fail, this one has only followed it.
      isOwner = false;
      if (epoch > (takesFrom ?? 0)) other = owner;
    },
  });
  const reached = await catching.until(last);
  if (!reached.ok) return reached;
  if (other !== null) return takenOver(other);
  const epoch = reader.epoch() ?? place.epoch;
  const hasGap = place.isOwner && place.hasGap === true;
  return { ok: true, at: reader.at(), epoch, needsBase: hasGap, hasGap, lacking: [] } as const;
}

function takenOver(owner: StreamOwner) {
  return { ok: false, problem: 'taken_over', message: describeOwner(owner), owner } as const;
}

/** For people: who owns the stream, and since when. */
export function describeOwner({ host, pid, time }: StreamOwner): string {
  return `process ${pid} on ${host} has owned the stream since ${new Date(time).toISOString()}`;
}
