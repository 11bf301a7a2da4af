/** Everything that ever happened in the channels with one partner, from the database. */
import * as v from 'valibot';
import type { Address } from '../../basics/hex.ts';
import { channelLog } from '../../contracts/channel-events.ts';
import type { Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import type { Slices } from '../../store/base/slices.ts';
import type { ChannelPayment } from '../../store/history/history.ts';
import type { LogRow } from '../../store/history/records.ts';
import type { Node } from '../node.ts';
import type { ChannelEvent } from './api.ts';

/** The highest block number that a column of the database can hold. */
const HIGHEST_BLOCK = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * An event with its place in the answer: by block; within a block logs come before payments, each in their own order.
 */
type Placed = { block: bigint; kind: 0 | 1; index: number; event: ChannelEvent };

const EVENTS_AT_ONCE = 400;

export function createChannelEvents({ store, engine, context }: Node) {
  return {
    channelEvents(
      token: Address,
      partner: Address,
      fromBlock: bigint | null,
    ): Result<Slices<ChannelEvent>> {
      engine.flush();
      const channels = store.channelsWith(token, partner);
      const newest = channels[0];
      if (newest === undefined)
        return context.tokenNetworkOf(token) === null
          ? failure('unknown_token')
          : failure('unknown_channel', `There never was one with ${partner}.`);
      const from = atMost(HIGHEST_BLOCK, fromBlock ?? newest.openBlock);
      // The list is fixed now, though its rows are read later: what happens meanwhile is not in the answer.
      const sources = channels.flatMap(({ id }) => [
        placedLogs(store.logs(id, from)),
        placedPayments(store.paymentsOf(id, from)),
      ]);
      return { ok: true, value: merged(sources) };
    },
  };
}

function* placedLogs(slices: Slices<LogRow>): Generator<Placed[]> {
  for (const rows of slices) {
    yield rows.map(({ block, logIndex, log }) => {
      const event: ChannelEvent = { type: 'chain', log: v.parse(channelLog, log) };
      return { block, kind: 0, index: logIndex, event };
    });
  }
}

/** The newest block goes back when another endpoint knows less: a payment that ended later stands behind those before it. */
function* placedPayments(slices: Slices<ChannelPayment>): Generator<Placed[]> {
  let newest = 0n;
  for (const rows of slices) {
    yield rows.map(({ seq, block, record }) => {
      if (block > newest) newest = block;
      return { block: newest, kind: 1, index: seq, event: { type: 'payment', block, record } };
    });
  }
}

type Source = { slices: Iterator<Placed[]>; rows: Placed[]; next: number };

/**
 * Merges sorted sources into one sorted sequence. Yields a slice, possibly empty, between two reads of the database.
 */
function* merged(all: readonly Iterable<Placed[]>[]): Generator<ChannelEvent[]> {
  const sources: Source[] = all.map((slices) => {
    return { slices: slices[Symbol.iterator](), rows: [], next: 0 };
  });
  for (const source of sources) yield* refill(source);
  for (let slice: ChannelEvent[] = []; ; ) {
    const source = firstOf(sources);
    const head = source?.rows[source.next];
    if (source === null || head === undefined) return yield slice;
    slice.push(head.event);
    source.next += 1;
    const isRead = source.next === source.rows.length;
    if (!isRead && slice.length < EVENTS_AT_ONCE) continue;
    yield slice;
    slice = [];
    if (isRead) yield* refill(source);
  }
}

/** Reads slices until there are rows again, or none are left. */
function* refill(source: Source): Generator<never[]> {
  source.rows = [];
  source.next = 0;
  while (source.rows.length === 0) {
    const { done, value } = source.slices.next();
    if (done === true) return;
    source.rows = value;
    yield [];
  }
}

/** The source whose next row comes first; null when all sources are read to their end. */
function firstOf(sources: readonly Source[]): Source | null {
  let first: { source: Source; head: Placed } | null = null;
  for (const source of sources) {
    const head = source.rows[source.next];
    if (head !== undefined && (first === null || order(head, first.head) < 0))
      first = { source, head };
  }
  return first?.source ?? null;
}

function atMost(most: bigint, value: bigint): bigint {
  return value < most ? value : most;
}

function order(a: Placed, b: Placed): number {
  if (a.block !== b.block) return a.block < b.block ? -1 : 1;
  return a.kind - b.kind || a.index - b.index;
}
