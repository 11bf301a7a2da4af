/**
 * Becomes the owner of the stream: brings the database up to the stream's newest record, and adds the record of a new
 * epoch behind it. From then on the records of every other node are refused.
 */
import type { Replay } from '../store/replay.ts';
import { createCatchUp } from './catch-up.ts';
import { decodePlace, encodePlace, type Place, type Point } from './place.ts';
import { createReader, encodeOwner, type Owner } from './reader.ts';
import { NO_LINK, openRecord, type RecordKeys, sealRecord } from './record.ts';
import type { Bounds, RecordStream } from './stream.ts';

/**
 * `taken_over`: another node has owned the stream since; `diverged`: so it has, and this database has transactions that
 * never arrived, of which nothing has followed; `behind`: the stream lacks what this database knows to be in
 * it; `foreign`: stream and database do not belong together; `broken`: somebody has changed the stream; `forgotten`:
 * the stream has forgotten what this database lacks; `away`: the stream cannot be reached.
 */
type OwnProblem =
  | 'taken_over'
  | 'diverged'
  | 'behind'
  | 'foreign'
  | 'broken'
  | 'forgotten'
  | 'away';
export type Owned =
  /** `needsBase`: the stream lacks a copy of the database, or some of what is in it. */
  | { ok: true; epoch: number; start: Point; needsBase: boolean }
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

type Found = { ok: true; at: Point; epoch: number; needsBase: boolean };

/** Null: another record came in between. */
async function attempt(options: OwnOptions): Promise<Owned | null> {
  const { stream, keys, replay } = options;
  const noted = replay.place();
  const place = noted === null ? null : decodePlace(noted);
  const found = await findEnd(options, place, await stream.bounds());
  if (found === null || !found.ok) return found;
  const { at, needsBase } = found;
  const epoch = found.epoch + 1;
  const sequence = at.sequence + 1;
  const head = { kind: 'epoch', epoch, sequence, link: Buffer.from(at.tag, 'hex') } as const;
  const { bytes, tag } = sealRecord(keys, head, encodeOwner(options.owner));
  const start = { sequence, tag: Buffer.from(tag).toString('hex') };
  // Noted before it is sent: should this process die in between, the record is known again.
  const known = place?.onTheWay ?? [];
  const before = { at: place?.at ?? at, isOwner: place?.isOwner ?? true };
  replay.apply([], encodePlace({ ...before, acknowledged: at, onTheWay: [...known, start] }));
  const appended = await stream.append(bytes, sequence, 'log');
  if (!appended.ok && !(await hasArrived(stream, sequence, bytes))) return null;
  replay.apply([], encodePlace({ at: start, acknowledged: start, isOwner: true, onTheWay: [] }));
  replay.noteCurrent();
  return { ok: true, epoch, start, needsBase: needsBase || !replay.hasOwnSchema() };
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
): Promise<Found | Extract<Owned, { ok: false }> | null> {
  if (place === null && last === 0) return { ok: true, at: ORIGIN, epoch: 0, needsBase: true };
  if (place === null)
    return foreign('the stream has records already, and this database is not that of their node');
  if (!place.isOwner && options.takesFrom === null)
    return {
      ok: false,
      problem: 'taken_over',
      message: 'this database follows the stream of another node',
    };
  if (place.at.sequence > last) return continued(options, place, last);
  if (place.at.sequence >= first) {
    const opened = await openAt(options, place.at.sequence);
    if (opened?.point.tag !== place.at.tag) return diverged(options, place, first);
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
  const message = `the database goes on after record ${common} in another way than the stream: another node has owned that since`;
  return { ok: false, problem: 'diverged', message } as const;
}

/**
 * The database has transactions that never arrived: the stream has to end with a record that it knows, and gets the
 * others now. Null: somebody else writes.
 */
async function continued(options: OwnOptions, place: Place, last: number) {
  const known = [place.acknowledged, ...place.onTheWay].find(({ sequence }) => sequence === last);
  if (known === undefined) {
    const message = `the stream ends at record ${last}, and this database knows of ${place.acknowledged.sequence} in it`;
    return { ok: false, problem: 'behind', message } as const;
  }
  const opened = await openAt(options, last);
  if (opened === null || opened.point.tag !== known.tag)
    return broken(`record ${last} is not the one that this database knows`);
  const lacking = place.onTheWay.filter(
    ({ sequence, bytes }) => sequence > last && bytes !== undefined,
  );
  if (lacking.at(-1)?.tag !== place.at.tag || lacking.length !== place.at.sequence - last) {
    const message = `the database has more transactions that never arrived than it can send again`;
    return { ok: false, problem: 'diverged', message } as const;
  }
  for (const one of lacking) if (!(await sendAgain(options, one))) return null;
  return { ok: true, at: place.at, epoch: opened.epoch, needsBase: false } as const;
}

type Lacking = Place['onTheWay'][number];

/** False: another record is there. */
async function sendAgain({ stream }: OwnOptions, { sequence, bytes = '', track }: Lacking) {
  const record = Buffer.from(bytes, 'base64');
  const appended = await stream.append(record, sequence, track ?? 'log');
  return appended.ok || (await hasArrived(stream, sequence, record));
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
  return { ok: true, at: reader.at(), epoch, needsBase: false } as const;
}

function takenOver(owner: Owner) {
  return { ok: false, problem: 'taken_over', message: describeOwner(owner), owner } as const;
}

/** For people: who owns the stream, and since when. */
export function describeOwner({ host, pid, time }: Owner): string {
  return `process ${pid} on ${host} has owned the stream since ${new Date(time).toISOString()}`;
}
