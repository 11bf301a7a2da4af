/** Numbers and ids as the page writes them: numbers exact, long ids shortened. */
import { grouped } from '../basics/digits.ts';

/** The number with its sign, also when it is not negative: `+5`, `−5`, `±0`. */
export function signed(value: bigint): string {
  if (value === 0n) return '±0';
  return value > 0n ? `+${grouped(value)}` : grouped(value);
}

export function blockCount(count: bigint): string {
  return `${grouped(count)} ${count === 1n || count === -1n ? 'block' : 'blocks'}`;
}

/** `part` as thousandths of `whole`, from 0 to 1000; 0 when `whole` is 0. For drawing only. */
export function permille(part: bigint, whole: bigint): number {
  if (whole <= 0n || part <= 0n) return 0;
  return part >= whole ? 1000 : Number((part * 1000n) / whole);
}

/** `part` of `whole` as a CSS length; nothing of nothing is 0. For drawing only. */
export function percentOf(part: bigint, whole: bigint): string {
  return whole === 0n ? '0' : `${Number((part * 1_000_000n) / whole) / 10_000}%`;
}
