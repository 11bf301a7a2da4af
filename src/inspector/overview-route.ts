/**
 * `GET /inspector/overview`: see `Overview`. Channels are read in slices, and once for all who ask at the same time, so that
 * payments do not wait for pages.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { sharedWork } from '../basics/shared-work.ts';
import type { Inspection } from '../node/api/inspection.ts';
import { kindOf } from '../node/runtime/actors/kinds.ts';
import { statesOf } from '../node/runtime/actors/walk.ts';
import { createRound } from '../node/runtime/commits/round.ts';
import { type ActorsFilter, listedActor } from './actor-list.ts';
import { endedIn } from './actor-list-route.ts';
import { answered, type InspectorRoute, numberIn, routeRefusal } from './base/route.ts';
import { channelLine, pageOf, sumsOf } from './overview.ts';
import { seenOf } from './replay/contexts.ts';
import {
  CHANNEL_ORDERS,
  type ChannelLine,
  type Labels,
  type ListedActor,
  type Overview,
} from './wire.ts';

const USUAL_CHANNELS = 25;
const MOST_CHANNELS = 100;
const LONGEST_TEXT = 100;
/** Payments that are listed: as many as one looks at. */
const PAYMENTS = 12;
/** The chain's endpoint may take long, and so may a token: then is told what was known before. */
const PATIENCE_MS = 500;
const PAYMENT_KINDS = ['initiator', 'mediator', 'target'];
const ENDED: ActorsFilter = {
  ...{ machine: PAYMENT_KINDS.join(','), state: null },
  ...{ token: null, partner: null, payment: null },
};

export type OverviewParts = {
  inspection: Inspection;
  labels(): Promise<Labels>;
  /** What a block took of late, in seconds; null: not known. */
  blockSeconds(): Promise<number | null>;
};

export function overviewRoute({ inspection, ...asked }: OverviewParts): InspectorRoute {
  const gathered = sharedWork(createGathering(inspection));
  const labels = lately<Labels>(asked.labels, { tokens: [], names: [] });
  const blockSeconds = lately(asked.blockSeconds, null);
  const round = createRound({ now: () => performance.now() });
  return async ({ path, query }) => {
    if (path.join('/') !== 'overview') return null;
    const from = numberIn(query, 'from', { absent: 0 });
    const limit = numberIn(query, 'limit', { absent: USUAL_CHANNELS, most: MOST_CHANNELS });
    const order = v.safeParse(orderSchema, query.get('order') ?? 'due');
    const state = v.safeParse(stateSchema, query.get('state') ?? 'all');
    const find = (query.get('find') ?? '').slice(0, LONGEST_TEXT);
    if (!from.ok) return from;
    if (!limit.ok) return limit;
    if (!order.success) return routeRefusal(400, { order: [`Must be one of ${CHANNEL_ORDERS}.`] });
    if (!state.success) return routeRefusal(400, { state: ['Must be all, open or ending.'] });
    const wanted = { find, order: order.output, state: state.output };
    const page = { ...wanted, from: from.value, limit: limit.value };
    const [named, seconds] = await Promise.all([labels(), blockSeconds()]);
    const { lines, ...found } = await gathered();
    await round.inSlice();
    const overview: Overview = {
      ...{ ...found, blockSeconds: seconds },
      channels: { all: lines.length, ...pageOf(lines, page, named) },
    };
    return answered(overview);
  };
}

type Gathered = Omit<Overview, 'blockSeconds' | 'channels'> & { lines: ChannelLine[] };

/** What is the same for all pages. */
function createGathering(inspection: Inspection): () => Promise<Gathered> {
  const { actors, journal, nowBlock } = inspection;
  const ended = createEnded(inspection);
  return async () => {
    const [ids, block, seq] = [actors.ids(), nowBlock(), journal.bounds().newest];
    const lines: ChannelLine[] = [];
    for await (const slice of statesOf(actors, idsOf(ids, ['channel'])))
      for (const { id, state: stored } of slice) {
        const seen = seenOf(stored);
        if (seen.kind === 'channel') lines.push(channelLine(id, seen));
      }
    const live = idsOf(ids, PAYMENT_KINDS);
    const shown = await shownPayments(inspection, live, await ended(ids, seq));
    return {
      ...{ block, seq, lines },
      tokens: sumsOf(lines),
      opening: openingIn(inspection, ids),
      payments: { live: live.length, shown },
    };
  };
}

/** What was told last, where an answer takes longer than one waits for it; asked once at a time. */
function lately<T>(ask: () => Promise<T>, nothing: T): () => Promise<T> {
  let told = nothing;
  let asking: Promise<void> | null = null;
  async function askAnew(): Promise<void> {
    try {
      told = await ask();
    } catch {
      // It is asked again with the next page.
    } finally {
      asking = null;
    }
  }
  return async () => {
    asking ??= askAnew();
    await Promise.race([asking, delay(PATIENCE_MS, null, { ref: false })]);
    return told;
  };
}

const orderSchema = v.picklist(CHANNEL_ORDERS);
const stateSchema = v.picklist(['all', 'open', 'ending']);
const idsOf = (ids: readonly string[], kinds: readonly string[]) =>
  ids.filter((id) => kinds.includes(kindOf(id)));

/** Channels that this node opens, as long as the chain has not confirmed it. */
function openingIn({ actors }: Inspection, ids: readonly string[]): Overview['opening'] {
  return idsOf(ids, ['tokenNetwork']).flatMap((id) => {
    const stored = actors.stateOf(id);
    if (stored?.kind !== 'tokenNetwork') return [];
    const { token, openings } = stored.context;
    return openings
      .filter(({ channel }) => channel === null)
      .map(({ partner, totalDeposit: deposit }) => ({ token, partner, deposit }));
  });
}

/** Under way, the newest first, then those that have ended. */
async function shownPayments(
  { actors }: Inspection,
  live: readonly string[],
  ended: readonly ListedActor[],
): Promise<ListedActor[]> {
  const rows = live.slice(-PAYMENTS).flatMap((id) => {
    const stored = actors.stateOf(id);
    return stored === null ? [] : [listedActor(id, stored)];
  });
  return [...rows.reverse(), ...ended].slice(0, PAYMENTS);
}

/** The payments that ended last. What was found before is kept: the journal of a quiet node is long. */
function createEnded(inspection: Inspection) {
  let known: { seq: number; rows: readonly ListedActor[] } = { seq: 0, rows: [] };
  return async (ids: readonly string[], seq: number): Promise<readonly ListedActor[]> => {
    const { seq: since, rows } = known;
    const added: ListedActor[] = [];
    const wanted = { ids, seq, since, filter: ENDED, limit: PAYMENTS, isCounted: isOwn };
    for await (const { found } of endedIn(inspection, wanted)) added.push(...found);
    // An actor that lives, or has ended again, may be called as one that ended before.
    const again = new Set([...ids, ...added.map(({ actor }) => actor)]);
    const left = rows.filter(({ actor }) => !again.has(actor));
    known = { seq, rows: [...added, ...left].slice(0, PAYMENTS) };
    return known.rows;
  };
}

/** An attempt that was replaced by another is no payment of its own. */
const isOwn = ({ state }: ListedActor): boolean => state !== 'replaced';
