/**
 * `GET /inspector/actors`: all live actors; with `ended=1` also those that have ended, as far back as the journal
 * reaches and at most `limit` of them. `machine` may name several kinds, with commas. Actors are read in slices, so
 * that payments do not wait while thousands are read.
 */
import { setImmediate as pause } from 'node:timers/promises';
import type { Inspection, JournalStep } from '../node/api/inspection.ts';
import { statesOf } from '../node/runtime/actors/walk.ts';
import { decode, encode } from '../store/base/codec.ts';
import { type ActorsFilter, endedRow, isWanted, listedActor, mayBeWanted } from './actor-list.ts';
import { type InspectorQuestion, type InspectorRoute, numberIn } from './base/route.ts';
import type { ListedActor } from './wire.ts';

/** Ended actors in one answer. */
const MOST_ENDED = 1_000;
/** How much is read between two pauses: steps of the journal, and ended actors. */
const STEPS_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 50;

export function actorListRoute(inspection: Inspection): InspectorRoute {
  return async ({ path, query }) => {
    if (path.join('/') !== 'actors') return null;
    const limit = numberIn(query, 'limit', { absent: MOST_ENDED, most: MOST_ENDED });
    if (!limit.ok) return limit;
    const filter = filterIn(query);
    const ids = inspection.actors.ids();
    const block = inspection.nowBlock();
    // Taken before the rows are read: a later step may already be in the rows, and the stream sends it again.
    const seq = inspection.journal.bounds().newest;
    const rows: string[] = [];
    // Each slice is encoded by itself: encoding ten thousand actors at once would hold up payments.
    const take = (found: readonly ListedActor[]) => {
      if (found.length > 0) rows.push(found.map((row) => encode(row)).join(','));
    };
    for await (const slice of statesOf(inspection.actors, ids))
      take(
        slice.flatMap(({ id, state }) => {
          const row = listedActor(id, state);
          return isWanted(filter, row, state.context) ? [row] : [];
        }),
      );
    let hasMore = false;
    if (query.get('ended') === '1')
      for await (const { found, isFull } of endedIn(inspection, {
        ids,
        seq,
        filter,
        limit: limit.value,
      })) {
        take(found);
        hasMore = isFull;
      }
    const head = encode({ block, seq, hasMore });
    return { ok: true, body: `${head.slice(0, -1)},"actors":[${rows.join(',')}]}` };
  };
}

function filterIn(query: InspectorQuestion['query']): ActorsFilter {
  const { machine, state, token, partner, payment } = Object.fromEntries(query);
  return {
    machine: machine ?? null,
    state: state ?? null,
    token: token ?? null,
    partner: partner ?? null,
    payment: payment ?? null,
  };
}

type End = Pick<JournalStep, 'actor' | 'seq'>;
/** `since`: only those that ended after this step. `isCounted`: which rows there are; absent: all. */
type Wanted = {
  ids: readonly string[];
  seq: number;
  since?: number;
  filter: ActorsFilter;
  limit: number;
  isCounted?: (row: ListedActor) => boolean;
};

/** The ended actors, newest first. A row shows what the actor was spawned with. */
export async function* endedIn(
  inspection: Inspection,
  { ids, seq, since = 0, filter, limit, isCounted = () => true }: Wanted,
) {
  const { journal } = inspection;
  // An actor of the user deposit or of a token may have ended and been spawned again.
  const told = new Set(ids);
  let left = limit + 1;
  let looked = 0;
  const oldest = () => Math.max(since + 1, journal.bounds().oldest);
  for (let to = seq; to >= oldest() && left > 0; to -= STEPS_AT_ONCE) {
    await pause();
    const found: ListedActor[] = [];
    for (const step of journal.stops(Math.max(since + 1, to - STEPS_AT_ONCE + 1), to)) {
      if (left === 0) break;
      if (told.has(step.actor)) continue;
      told.add(step.actor);
      if (!mayBeWanted(filter, step)) continue;
      looked += 1;
      if (looked % ROWS_AT_ONCE === 0) await pause();
      const spawned = spawnedWith(inspection, step);
      const row = endedRow(step, spawned);
      if (!isWanted(filter, row, spawned) || !isCounted(row)) continue;
      // One more than `limit` is looked for, to know whether there are more.
      if (left > 1) found.push(row);
      left -= 1;
    }
    yield { found, isFull: left === 0 };
  }
}
/** The input of a spawn, or the context of a keyframe; null when neither is kept. */
function spawnedWith({ journal }: Inspection, { actor, seq }: End): unknown {
  const base = journal.baseOf(actor, seq);
  if (base === null) return null;
  const kept = decode(base.event);
  if (base.kind === 'spawn') return kept;
  return typeof kept === 'object' && kept !== null && 'context' in kept ? kept.context : null;
}
