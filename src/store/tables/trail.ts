/**
 * The blocks that this node has followed, as far as they are stored: the block where another chain branches off is
 * found among them. Near the newest block all are stored, farther below fewer and fewer, so that the list stays short
 * however long the chain is.
 */
import * as v from 'valibot';
import type { Meta } from '../base/meta.ts';

export type ChainPoint = { block: bigint; hash: string };
/** How far the blocks are applied. `lastLog`: of this block only the logs up to the one with this index; absent: all. */
export type AppliedUpTo = ChainPoint & { lastLog?: number };
/** A reorganisation that replaced blocks which this node had followed. */
export type Fork = {
  /** The last block that both chains have, as far as it is known; hash null: below the first that was followed. */
  block: bigint;
  hash: string | null;
  /** The block that was followed last, and the hash that the chain now has at its height. */
  lostBlock: bigint;
  lostHash: string;
  foundHash: string;
};

/** Down to this depth below the newest block, all are stored. */
const ALL_KEPT = 128n;

const stored = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.tuple([v.pipe(v.string(), v.regex(/^\d+$/)), v.string()])),
);
const storedFork = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    block: v.string(),
    hash: v.nullable(v.string()),
    lostBlock: v.string(),
    lostHash: v.string(),
    foundHash: v.string(),
  }),
);

/**
 * The points to store, newest first. Of those farther below, the deepest of each class stays, so that some always
 * grow old.
 */
export function thinned(points: readonly ChainPoint[]): ChainPoint[] {
  const newest = points[0]?.block ?? 0n;
  const far = points.findIndex(({ block }) => newest - block > ALL_KEPT);
  if (far === -1) return [...points];
  const kept = new Map<number, ChainPoint>();
  for (const point of points.slice(far)) kept.set(classOf(newest - point.block), point);
  return [...points.slice(0, far), ...kept.values()];
}

/** Below those that are all kept, each class is a quarter deeper than the one before. */
function classOf(depth: bigint): number {
  return Math.floor(Math.log(Number(depth) / Number(ALL_KEPT)) / Math.log(1.25));
}

const pointOf = ({ block, hash }: AppliedUpTo): ChainPoint => ({ block, hash });

export function prepareTrail(meta: Meta) {
  function read(): ChainPoint[] {
    const text = meta.get('trail') ?? '';
    if (text === '') return [];
    return v.parse(stored, text).map(([block, hash]) => ({ block: BigInt(block), hash }));
  }

  function write(points: readonly ChainPoint[], lastLog?: number) {
    const text = JSON.stringify(points.map(({ block, hash }) => [block.toString(), hash]));
    meta.set('trail', text);
    meta.set('cursorBlock', points[0]?.block.toString() ?? '');
    meta.set('cursorHash', points[0]?.hash ?? '');
    meta.set('cursorLog', lastLog?.toString() ?? '');
  }

  function cursor(): AppliedUpTo | null {
    const block = meta.get('cursorBlock') ?? '';
    const hash = meta.get('cursorHash') ?? '';
    const lastLog = meta.get('cursorLog') ?? '';
    if (block === '' || hash === '') return null;
    const place = { block: BigInt(block), hash };
    return lastLog === '' ? place : { ...place, lastLog: Number(lastLog) };
  }

  function fork(): Fork | null {
    const text = meta.get('fork') ?? '';
    if (text === '') return null;
    const { block, lostBlock, ...hashes } = v.parse(storedFork, text);
    return { ...hashes, block: BigInt(block), lostBlock: BigInt(lostBlock) };
  }

  return {
    cursor,
    fork,
    /** Newest first. */
    trail: read,
    /** Notes that the blocks are applied up to this place. */
    follow(place: AppliedUpTo) {
      const earlier = read().filter(({ block }) => block < place.block);
      write(thinned([pointOf(place), ...earlier]), place.lastLog);
    },
    /** Goes back to the blocks that both chains have. What was lost is stored until the operator accepts it. */
    rewind(lost: Fork) {
      write(read().filter(({ block }) => block <= lost.block));
      const { block, lostBlock, ...hashes } = lost;
      const texts = { block: block.toString(), lostBlock: lostBlock.toString() };
      meta.set('fork', JSON.stringify({ ...hashes, ...texts }));
    },
    acceptFork: () => meta.set('fork', ''),
  };
}
