/** Helpers for the inspector's texts. Their contents come from a node that may be anybody's. */
import { encode } from '../../store/base/codec.ts';
import type { StepCause } from '../wire.ts';
import { shortId } from './short-id.ts';

/** Functions that mark text; without colours each returns its argument. */
export type Paint = Record<'strong' | 'faint' | 'good' | 'bad', (text: string) => string>;

const same = (text: string) => text;
const sgr = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
export const PLAIN: Paint = { strong: same, faint: same, good: same, bad: same };
export const COLOURS: Paint = { strong: sgr(1), faint: sgr(2), good: sgr(32), bad: sgr(31) };

/** A value as text for people: bigints as plain numbers, everything else as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  return encode(value).replace(/\{"\$bigint":"(-?\d+)"\}/g, '$1');
}

export const blockText = (block: bigint | null) => (block === null ? '-' : `#${block}`);

export function causeSuffix(cause: StepCause): string {
  if (cause.from === 'outside') return '';
  return ` from ${shortId(cause.actor)}${cause.seq === null ? '' : ` (step ${cause.seq})`}`;
}

/** Aligns cells in columns as wide as their widest cell; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[], indent = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  return rows.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return `${indent}${cells.join('  ')}`.trimEnd();
  });
}
