/** Numbers of a run, written for people. */
import { groupDigits, grouped, inTokens } from '../../../basics/digits.ts';
import type { NodeResult, Token } from './result.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PREFIXES = [
  { size: 1e12, letter: 'T' },
  { size: 1e9, letter: 'G' },
  { size: 1e6, letter: 'M' },
  { size: 1e3, letter: 'k' },
];

/** A number rounded to the given digits after the point; zeros at its end are left out: `1,234.5`. */
export function plain(value: number, digits = 1): string {
  const [whole = '0', fraction = ''] = Math.abs(value).toFixed(digits).split('.');
  const kept = fraction.replace(/0+$/, '');
  const grouping = groupDigits(BigInt(whole));
  const text = kept === '' ? grouping : `${grouping}.${kept}`;
  return value < 0 && text !== '0' ? `\u2212${text}` : text;
}

/** A fraction as text, cut after four digits and not rounded, which could look like what was asked: `0.8827…`. */
export function cut(text: string): string {
  return text.replace(/^(\d+\.\d{4})\d+$/, '$1…');
}

/** A short number, for axes and narrow places: `1.2k`, `30M`. */
export function compact(value: number): string {
  const size = Math.abs(value);
  const prefix = PREFIXES.find((candidate) => size >= candidate.size);
  if (prefix === undefined) return plain(value, size < 1 ? 3 : 1);
  return `${plain(value / prefix.size)}${prefix.letter}`;
}

/** A percentage with one digit after the point, cut and not rounded: 99.96 % must not look like 100 %. */
export function percent(share: number): string {
  return `${plain(Math.floor(share * 1000 + 1e-9) / 10)} %`;
}

/** `2 h 5 min`, `12.3 s`. */
export function duration(ms: number): string {
  if (ms >= HOUR_MS) {
    const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
    const hours = `${plain(Math.floor(ms / HOUR_MS), 0)} h`;
    return minutes === 0 ? hours : `${hours} ${minutes} min`;
  }
  if (ms >= MINUTE_MS) {
    const seconds = Math.floor((ms % MINUTE_MS) / 1000);
    const minutes = `${Math.floor(ms / MINUTE_MS)} min`;
    return seconds === 0 ? minutes : `${minutes} ${seconds} s`;
  }
  return ms >= 1000 ? `${plain(ms / 1000)} s` : `${plain(ms, 0)} ms`;
}

/** `1 block`, `1,200 blocks`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`;
}

export function tokens(amount: bigint, { symbol, decimals }: Token): string {
  return `${inTokens(amount, decimals)} ${symbol}`;
}

/** All digits of an amount, to go with a shortened one. */
export function exactly(amount: bigint): string {
  return grouped(amount);
}

/** An amount as a floating point number; loses digits, so it is for places in drawings and axes only. */
export function toNumber(amount: bigint, { decimals }: Token): number {
  return Number(amount) / 10 ** decimals;
}

export function nameOf(nodes: readonly NodeResult[], index: number | null): string {
  if (index === null) return 'the network';
  return nodes.find((node) => node.index === index)?.name ?? `node ${index}`;
}
