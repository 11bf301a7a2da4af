/** How long so many blocks are, for people. */
import { blockCount } from './digits.ts';

export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} hours`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** `18 blocks left, about 4 minutes`; `blockSeconds` null: nobody knows how long a block takes. */
export function blocksLeftText(blocks: bigint, blockSeconds: number | null): string {
  const left = `${blockCount(blocks)} left`;
  if (blockSeconds === null) return left;
  return `${left}, about ${durationText(Number(blocks) * blockSeconds)}`;
}
