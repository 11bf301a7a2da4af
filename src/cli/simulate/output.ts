/** How the simulation's commands print. The texts may come from anybody's scenario. */
import { fromUnits } from '../../basics/digits.ts';
import { print, say } from '../process/terminal.ts';

export type Token = { symbol: string; decimals: number };

/** Control characters that a terminal would obey, except for line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const OBEYED = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g;

/** Prints the result of a command on standard output. */
export function write(lines: readonly string[]): void {
  if (lines.length > 0) print(lines.join('\n').replace(OBEYED, ' '));
}

/** Prints the problems; answers the exit code. */
export function badUsage(problems: readonly string[]): number {
  for (const problem of problems) say(`sluice: ${problem.replace(OBEYED, ' ')}`);
  return 2;
}

/** Lines with aligned columns: the first is a name, the others are figures. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** "12.5 TOK" */
export function tokens(amount: bigint, { symbol, decimals }: Token): string {
  const size = fromUnits(amount < 0n ? -amount : amount, decimals);
  return `${amount < 0n ? '-' : ''}${size} ${symbol}`;
}

/** "1 payment", "12,000 payments" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${figure(count)} ${count === 1 ? one : many}`;
}

/** With at most four significant digits; "-" for null. */
export function figure(value: number | null): string {
  if (value === null) return '-';
  const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(4));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

export function duration(ms: number): string {
  if (ms < 60_000) return `${figure(Math.round(ms / 100) / 10)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${figure(Math.round(minutes / 6) / 10)} h`;
}
