/**
 * The steps of one commit as the journal stores them: in one row, compressed. The half dozen steps that tell of a payment
 * repeat the same order, hashes, addresses and ids of actors: a row for each would be four times as large, and most of what
 * a commit writes.
 *
 * What is compressed is text of several lines: first the names (ids of actors, causes, states) and the numbers of the steps,
 * which point to the names, then the event of each step. The codec's text of an event has no line breaks.
 */
import { customType } from 'drizzle-orm/sqlite-core';
import * as v from 'valibot';
import { type Blob, heightOf } from './columns.ts';
import { packed, unpacked } from './packed.ts';

/**
 * One step of one actor, for people who want to know how the actor came to its state. `causedBy`: the place in the
 * same batch's journal of the step that sent the event; null when the event came from outside. `version` is that of
 * the machine's shape; `time` is milliseconds since 1970.
 */
export type JournalRow = {
  kind: 'spawn' | 'event' | 'keyframe' | 'stop';
  actor: string;
  cause: string;
  causedBy: number | null;
  event: string;
  state: string;
  version: number;
  block: bigint;
  time: number;
};

/** Characters and steps after which a block is full: whoever wants one step reads all of its block. */
const FULL_TEXT = 65_536;
export const FULL_STEPS = 256;

const KINDS = ['spawn', 'event', 'keyframe', 'stop'] as const;
/** Numbers of each step: kind, actor, cause, how many steps before it the causing one is (0: none), state, version, block, time. */
const WIDTH = 8;

const head = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ names: v.array(v.string()), numbers: v.array(v.number()) }),
);

/** One step of a block; `causedBy`: how many steps before it the step is that caused it; null: none did. */
export type BlockStep = JournalRow;
export type Block = readonly BlockStep[];

function textOf(steps: Block): string {
  const places = new Map<string, number>();
  const placeOf = (name: string): number => {
    const known = places.get(name);
    if (known !== undefined) return known;
    places.set(name, places.size);
    return places.size - 1;
  };
  const numbers: number[] = [];
  let events = '';
  for (const { kind, actor, cause, causedBy, state, version, block, time, event } of steps) {
    numbers.push(KINDS.indexOf(kind), placeOf(actor), placeOf(cause), causedBy ?? 0);
    numbers.push(placeOf(state), version, heightOf(block), time);
    events += `\n${event}`;
  }
  return JSON.stringify({ names: [...places.keys()], numbers }) + events;
}

function stepsIn(text: string): BlockStep[] {
  const [first, ...events] = text.split('\n');
  const { names, numbers } = v.parse(head, first);
  const named = (place: number | undefined): string => {
    const name = names[place ?? -1];
    if (name === undefined) throw new Error('store: a step of the journal without a name');
    return name;
  };
  return events.map((event, at) => {
    const [kind = -1, actor, cause, causedBy, state, version = 0, block = 0, time = 0] =
      numbers.slice(at * WIDTH, (at + 1) * WIDTH);
    return {
      kind: KINDS[kind] ?? 'event',
      actor: named(actor),
      cause: named(cause),
      causedBy: causedBy === 0 || causedBy === undefined ? null : causedBy,
      state: named(state),
      version,
      block: BigInt(block),
      time,
      event,
    };
  });
}

/** The steps of a block as it is stored; a third of a millisecond for sixty of them. */
export const blockIn = (value: Blob): Block => stepsIn(unpacked(value));

export const stepsBlob = customType<{ data: Block; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver: (steps) => packed(textOf(steps)),
  fromDriver: blockIn,
});

/** Four bytes, as digits, by which the blocks of an actor are found: some others may have the same. */
export function markOf(actor: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < actor.length; at++)
    hash = Math.imul(hash ^ actor.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** The rows of a commit, cut into blocks. */
export function blocksOf(rows: readonly JournalRow[]): BlockStep[][] {
  const blocks: BlockStep[][] = [];
  let block: BlockStep[] = [];
  let length = 0;
  for (const [at, row] of rows.entries()) {
    block.push({ ...row, causedBy: row.causedBy === null ? null : at - row.causedBy });
    length += row.event.length;
    if (length < FULL_TEXT && block.length < FULL_STEPS) continue;
    blocks.push(block);
    block = [];
    length = 0;
  }
  return block.length === 0 ? blocks : [...blocks, block];
}
