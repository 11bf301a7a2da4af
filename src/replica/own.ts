/**
 * Becomes the owner of the stream: brings the database up to the stream's newest record, and adds the record of a new
 * epoch behind it. From then on the records of every other node are refused.
 */
import type { Replay } from '../store/replay.ts';
import { createCatchUp } from './catch-up.ts';
import { decodePlace, encodePlace, type Place, type Point, type Sending } from './place.ts';
import { createReader, encodeOwner, type Owner } from './reader.ts';
import { NO_LINK, openRecord, type RecordKeys, sealRecord } from './record.ts';
import type { Bounds, RecordStream } from './stream.ts';

/**
 * `taken_over`: another node has owned the stream since; `diverged`: so it has, and this database has transactions that
 * never arrived, of which nothing has followed; `behind`: the stream lacks what this database knows to be in
 * it; `foreign`: stream and database do not belong together; `broken`: somebody has changed the stream; `forgotten`:
 * the stream has forgotten what this database lacks; `away`: the stream cannot be reached; `unmade`: there
 * is none.
 */
type OwnProblem =
  | 'taken_over'
  | 'diverged'
  | 'behind'
  | 'foreign'
  | 'broken'
  | 'forgotten'
  | 'away'
  | 'unmade';
export type Owned =
  /**
   * `needsBase`: the stream lacks a copy of the database, or some of what is in it. `hasGap`: the copy has to be in the
   * stream before anything follows from the database.
   */
  | { ok: true; epoch: number; start: Point; needsBase: boolean; hasGap: boolean }
  | { ok: false; problem: OwnProblem; message: string; owner?: Owner };

export type OwnOptions = {
  stream: RecordStream;
  keys: RecordKeys;
  replay: Replay;
  owner: Owner;
  /**
   * The newest epoch from which the stream is taken although another node has owned it since this database did: not
   * from one that was begun after the decision. Null: from nobody.
   */
  takesFrom: number | null;
};

/** How many times another node may write between the look at the stream and this node's record. */
const MOST_TRIES = 20;
const ORIGIN: Point = { sequence: 0, tag: Buffer.from(NO_LINK).toString('hex') };

/** Never rejects. What it did not finish, the next call goes on with. */
export async function ownStream(options: OwnOptions): Promise<Owned> {
  try {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const result = await attempt(options);
      if (result !== null) return result;
    }
    return refused('away', 'other nodes write into the stream all the time');
  } catch (error) {
    return refused('away', error instanceof Error ? error.message : String(error));
  }
}

const refused = (problem: OwnProblem, message: string): Owned => ({ ok: false, problem, message });

/** `lacking`: records that the stream has to get first, up to `at`. */
type Found = {
  ok: true;
  at: Point;
  epoch: number;
  needsBase: boolean;
  hasGap: boolean;
  lacking: readonly Sending[];
};

/** Null: another record came in between. */
async function attempt(options: OwnOptions): Promise<Owned | null> {
  const { stream, keys, replay } = options;
  const noted = replay.place();
  const place = noted === null ? null : decodePlace(noted);
  const bounds = await stream.bounds();
  if (bounds === null) return refused('unmade', 'the broker has no such stream');
  const found = await findEnd(options, place, bounds);
  if (!found.ok) return found;
  const { at, needsBase, hasGap, lacking } = found;
  for (const one of lacking) if (!(await sendAgain(options, one))) return null;
  const epoch = found.epoch + 1;
  const sequence = at.sequence + 1;
  const head = { kind: 'epoch', epoch, sequence, link: Buffer.from(at.tag, 'hex') } as const;
  const { bytes, tag } = sealRecord(keys, head, encodeOwner({ ...options.owner, hasGap }));
  const start = { sequence, tag: Buffer.from(tag).toString('hex') };
  // Noted before it is sent: should this process die in between, the record is known again.
  const known = place?.onTheWay ?? [];
  const before = { ...place, at: place?.at ?? at, isOwner: place?.isOwner ?? true };
  replay.apply([], encodePlace({ ...before, acknowledged: at, onTheWay: [...known, start] }));
  const appended = await stream.append(bytes, sequence, 'epoch');
  if (!appended.ok && !(await hasArrived(stream, sequence, bytes))) return null;
  const own = { at: start, acknowledged: start, isOwner: true, onTheWay: [], hasGap };
  replay.apply([], encodePlace(own));
  replay.noteCurrent();
  return { ok: true, epoch, start, needsBase: needsBase || !replay.hasOwnSchema(), hasGap };
}

/** False: another record is there. */
async function sendAgain({ stream }: OwnOptions, { sequence, bytes = '' }: Sending) {
  const record = Buffer.from(bytes, 'base64');
  const appended = await stream.append(record, sequence, 'log');
  return appended.ok || (await hasArrived(stream, sequence, record));
}

async function hasArrived(stream: RecordStream, sequence: number, bytes: Uint8Array) {
  const found = await stream.read(sequence);
  return found !== null && Buffer.compare(found, bytes) === 0;
}

/** The newest record, and whether the database goes on from it; brings the database there when it lacks some. */
async function findEnd(
  options: OwnOptions,
  place: Place | null,
  { first, last }: Bounds,
): Promise<Found | Extract<Owned, { ok: false }>> {
  if (place === null && last === 0)
    return { ok: true, at: ORIGIN, epoch: 0, needsBase: true, hasGap: false, lacking: [] };
  if (place === null)
    return foreign('the stream has records already, and this database is not that of their node');
  if (!place.isOwner && options.takesFrom === null)
    return {
      ok: false,
      problem: 'taken_over',
      message: 'this database follows the stream of another node',
    };
  if (place.at.sequence > last)
    return (await continued(options, place, last)) ?? behind(options, place, last);
  if (place.at.sequence >= first) {
    const opened = await openAt(options, place.at.sequence);
    if (opened === null)
      return broken(`record ${place.at.sequence} was not sealed by this key, or cannot be read`);
    if (opened.point.tag !== place.at.tag)
      return (await continued(options, place, last)) ?? diverged(options, place, first);
  }
  return catchUp(options, place, last);
}

const foreign = (message: string) => ({ ok: false, problem: 'foreign', message }) as const;
const broken = (message: string) => ({ ok: false, problem: 'broken', message }) as const;

/** Somebody else's record is where this database has its newest one: that is no fault if this one never arrived. */
async function diverged(options: OwnOptions, { at, acknowledged }: Place, first: number) {
  const common = acknowledged.sequence;
  const opened = common < first ? null : await openAt(options, common);
  const isCommon = common < first || opened?.point.tag === acknowledged.tag;
  if (!isCommon || common >= at.sequence)
    return broken(`record ${common} is not the one that this database knows`);
  return diverging(common);
}

function diverging(common: number) {
  const message = `the database goes on after record ${common} in another way than the stream: another node has owned that since`;
  return { ok: false, problem: 'diverged', message } as const;
}

/** The database has transactions that never arrived: null unless the stream ends with a record that it knows. */
async function continued(options: OwnOptions, place: Place, last: number): Promise<Found | null> {
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
function lackingAfter({ at, onTheWay }: Place, last: number): Sending[] | null {
  const lacking = onTheWay.filter(({ sequence }) => sequence > last && sequence <= at.sequence);
  const isKnown = lacking.every(({ bytes }) => bytes !== undefined);
  const isWhole = lacking.length === at.sequence - last && lacking.at(-1)?.tag === at.tag;
  return isKnown && isWhole && lacking[0]?.sequence === last + 1 ? lacking : null;
}

/**
 * Whether all that came after the acknowledged record is of its epoch, so that the node of this database has written
 * it. Places name only some of what is on its way.
 */
async function isOfSameEpoch({ stream, keys }: OwnOptions, start: Point, last: number) {
  const reader = createReader(keys, start);
  while (reader.at().sequence < last) {
    const sequence = reader.at().sequence + 1;
    const bytes = await stream.read(sequence);
    const read = bytes === null ? null : reader.read(sequence, bytes);
    if (read?.ok !== true || read.step.type === 'epoch') return false;
  }
  return reader.at().sequence > start.sequence;
}

async function behind(options: OwnOptions, { acknowledged }: Place, last: number) {
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

async function openAt({ stream, keys }: OwnOptions, sequence: number) {
  const bytes = await stream.read(sequence);
  const opened = bytes === null ? null : openRecord(keys, bytes);
  if (opened === null || opened.head.sequence !== sequence) return null;
  const point: Point = { sequence, tag: Buffer.from(opened.tag).toString('hex') };
  return { point, epoch: opened.head.epoch };
}

async function catchUp(options: OwnOptions, place: Place, last: number) {
  const { stream, keys, replay, takesFrom } = options;
  const reader = createReader(keys, place.at);
  let other: Owner | null = null;
  const catching = createCatchUp({
    stream,
    reader,
    replay,
    hasGap: !place.isOwner && place.hasGap === true,
    isOwner: () => place.isOwner && other === null,
    onEpoch(epoch, owner, { tag }) {
      const isOwn = place.onTheWay.some((known) => known.tag === tag);
      if (!isOwn && epoch > (takesFrom ?? 0)) other = owner;
    },
  });
  const reached = await catching.until(last);
  if (!reached.ok) return reached;
  if (other !== null) return takenOver(other);
  const epoch = reader.epoch() ?? (await openAt(options, last))?.epoch;
  if (epoch === undefined) return broken(`record ${last} cannot be read`);
  const hasGap = place.isOwner && place.hasGap === true;
  return { ok: true, at: reader.at(), epoch, needsBase: hasGap, hasGap, lacking: [] } as const;
}

function takenOver(owner: Owner) {
  return { ok: false, problem: 'taken_over', message: describeOwner(owner), owner } as const;
}

/** For people: who owns the stream, and since when. */
export function describeOwner({ host, pid, time }: Owner): string {
  return `process ${pid} on ${host} has owned the stream since ${new Date(time).toISOString()}`;
}
