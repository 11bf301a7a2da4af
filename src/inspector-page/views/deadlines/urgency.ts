/** How urgent each deadline is at a block, and its place on an axis of blocks. */
import type { Deadline } from '../../../inspector/wire.ts';
import { permille } from '../../../page-parts/digits.ts';
import { roundStep } from '../money/series.ts';

/**
 * `late`: it passed, and the money can now be lost; `danger`: waiting is no longer safe; `safe`: there is time;
 * `over`: it passed and nothing is lost by that; `waits`: it has no block at all.
 */
export type DeadlineUrgency = 'late' | 'danger' | 'safe' | 'over' | 'waits';
export const URGENCY_WORDS: Record<DeadlineUrgency, { mark: string; word: string }> = {
  late: { mark: '✕', word: 'too late' },
  danger: { mark: '▲', word: 'danger' },
  safe: { mark: '●', word: 'safe' },
  over: { mark: '○', word: 'run out' },
  waits: { mark: '–', word: 'waits' },
};

export type DeadlineLine = {
  deadline: Deadline;
  urgency: DeadlineUrgency;
  /** Blocks until each of the deadline's blocks, negative when it has passed; null: it has no such block. */
  toDanger: bigint | null;
  toExpiry: bigint | null;
  toAction: bigint | null;
};

const ORDER: readonly DeadlineUrgency[] = ['late', 'danger', 'safe', 'over', 'waits'];

/** Sorted by urgency, then by the nearest block. */
export function deadlineLines(deadlines: readonly Deadline[], nowBlock: bigint): DeadlineLine[] {
  const left = (block: bigint | null) => (block === null ? null : block - nowBlock);
  return deadlines
    .map((deadline) => ({
      deadline,
      urgency: urgencyOf(deadline, nowBlock),
      toDanger: left(deadline.dangerBlock),
      toExpiry: left(deadline.expiryBlock),
      toAction: left(deadline.actionBlock),
    }))
    .sort((a, b) => ORDER.indexOf(a.urgency) - ORDER.indexOf(b.urgency) || comesBefore(a, b));
}

/** Missing a block loses money only when waiting can be unsafe: this node's own locks return to it. */
function urgencyOf(
  { what, dangerBlock, expiryBlock, actionBlock }: Deadline,
  now: bigint,
): DeadlineUrgency {
  const isRisk = dangerBlock !== null || what === 'update';
  if (expiryBlock !== null && now >= expiryBlock) return isRisk ? 'late' : 'over';
  if (isRisk && (dangerBlock === null || now >= dangerBlock)) return 'danger';
  return expiryBlock === null && actionBlock === null ? 'waits' : 'safe';
}

function comesBefore(a: DeadlineLine, b: DeadlineLine): number {
  const [first, second] = [nextOf(a), nextOf(b)];
  if (first === second) return 0;
  if (first === null || second === null) return first === null ? 1 : -1;
  return first < second ? -1 : 1;
}

/** Blocks until the deadline's nearest block to come; null: there is none. */
export function nextOf({ toDanger, toExpiry, toAction }: DeadlineLine): bigint | null {
  return [toDanger, toExpiry, toAction].reduce<bigint | null>(
    (next, left) => (left !== null && left > 0n && (next === null || left < next) ? left : next),
    null,
  );
}

/** `in 5 blocks`, `now`, `3 blocks ago`. */
export function whenText(left: bigint): string {
  if (left === 0n) return 'now';
  const count = left < 0n ? -left : left;
  const text = `${count} ${count === 1n ? 'block' : 'blocks'}`;
  return left < 0n ? `${text} ago` : `in ${text}`;
}

/** An axis from the block `from` to the block `to`, with the blocks that are written at it. */
export type BlockAxis = { from: bigint; to: bigint; ticks: readonly bigint[] };

const MOST_TICKS = 7n;

/** An axis with room for the present block and all blocks of the deadlines; null when there are none. */
export function axisOf(deadlines: readonly Deadline[], nowBlock: bigint): BlockAxis | null {
  const blocks = deadlines
    .flatMap(({ dangerBlock, expiryBlock, actionBlock }) => [dangerBlock, expiryBlock, actionBlock])
    .filter((block) => block !== null);
  if (blocks.length === 0) return null;
  const all = [...blocks, nowBlock];
  const least = all.reduce((a, b) => (b < a ? b : a));
  const most = all.reduce((a, b) => (b > a ? b : a));
  const margin = (most - least) / 16n + 1n;
  const from = least > margin ? least - margin : 0n;
  const to = most + margin;
  return { from, to, ticks: ticksOf(from, to) };
}

function ticksOf(from: bigint, to: bigint): bigint[] {
  const step = roundStep(to - from, MOST_TICKS);
  const first = ((from + step - 1n) / step) * step;
  return Array.from(
    { length: Number((to - first) / step) + 1 },
    (_, n) => first + BigInt(n) * step,
  );
}

/** The place of a block, in thousandths of the axis from its left end. */
export function blockPlace({ from, to }: BlockAxis, block: bigint): number {
  return permille(block - from, to - from);
}

export type DeadlinePart = {
  kind: 'safe' | 'danger' | 'late' | 'over';
  start: number;
  end: number;
};

/** The parts of a deadline's bar from left to right, in thousandths of the axis. */
export function barOf(
  { what, dangerBlock, expiryBlock, actionBlock }: Deadline,
  axis: BlockAxis,
): DeadlinePart[] {
  const isRisk = dangerBlock !== null || what === 'update';
  const end = expiryBlock ?? actionBlock ?? dangerBlock;
  if (end === null) return [];
  const danger = isRisk ? (dangerBlock ?? axis.from) : end;
  const marks = [0, blockPlace(axis, danger), blockPlace(axis, end), 1000] as const;
  const after = isRisk ? 'late' : 'over';
  const parts: DeadlinePart[] = [
    { kind: 'safe', start: marks[0], end: marks[1] },
    { kind: 'danger', start: marks[1], end: marks[2] },
    ...(expiryBlock === null ? [] : [{ kind: after, start: marks[2], end: marks[3] } as const]),
  ];
  return parts.filter(({ start, end: stop }) => stop > start);
}
