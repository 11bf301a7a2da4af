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

/**
 * A number rounded to the given digits after the point; zeros at its end are left out: `1,234.5`. One that is not 0 does not
 * look like 0: it has its first digit.
 */
export function plain(value: number, digits = 1): string {
  const size = Math.abs(value);
  const places = size > 0 && size < 0.5 * 10 ** -digits ? placesOf(size) : digits;
  const [whole = '0', fraction = ''] = size.toFixed(places).split('.');
  const kept = fraction.replace(/0+$/, '');
  const grouping = groupDigits(BigInt(whole));
  const text = kept === '' ? grouping : `${grouping}.${kept}`;
  return value < 0 && text !== '0' ? `\u2212${text}` : text;
}

/** Digits after the point up to the first that is not 0, of a number between 0 and 1. */
const placesOf = (size: number): number => Math.min(100, Math.ceil(-Math.log10(size)));

/** The same, cut and not rounded. */
function cutNumber(value: number, digits: number): string {
  const size = Math.abs(value);
  const places = size > 0 && size < 10 ** -digits ? placesOf(size) : digits;
  // What floating point adds or takes away is behind the fourteenth digit: 56.99999999999999 is 57.
  const kept = Math.floor(Number((size * 10 ** places).toPrecision(14))) / 10 ** places;
  return plain(value < 0 ? -kept : kept, places);
}

/** A fraction as text, cut after four digits and not rounded, which could look like what was asked: `0.8827…`. */
export function cut(text: string): string {
  return text.replace(/^(-?(?:0\.0*\d{4}|\d+\.\d{4}))\d+$/, '$1…');
}

/** A short number, for axes and narrow places: `1.2k`, `30M`, `0.00025`, `2e-9`. */
export function compact(value: number): string {
  const size = Math.abs(value);
  // What is rounded up to a thousand of one prefix is one of the next.
  const prefix = PREFIXES.find((candidate) => size >= candidate.size * 0.99995);
  if (prefix !== undefined) return `${plain(value / prefix.size)}${prefix.letter}`;
  if (size >= 1 || size === 0) return plain(value);
  if (size < 1e-5) return `${Number(value.toPrecision(3))}`.replace(/^-/, '\u2212');
  return plain(value, placesOf(size) + 2);
}

/** A percentage with one digit after the point, cut and not rounded: 99.96 % must not look like 100 %. */
export function percent(share: number): string {
  return `${cutNumber(share * 100, 1)} %`;
}

/** `2 h 5 min`, `12.3 s`, cut and not rounded. */
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
  return ms >= 1000 ? `${cutNumber(ms / 1000, 1)} s` : `${cutNumber(ms, 0)} ms`;
}

/** `1 block`, `1,200 blocks`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${plain(count, 0)} ${count === 1 ? one : many}`;
}

/** How many blocks something took: what ended in the block in which it began took less than one. */
export function blockSpan(blocks: number): string {
  return blocks === 0 ? 'under a block' : countOf(blocks, 'block');
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

/** A floating point number of whole tokens as an amount. */
export function fromNumber(value: number, { decimals }: Token): bigint {
  return BigInt(Math.round(value * 10 ** decimals));
}

export function nameOf(nodes: readonly NodeResult[], index: number | null): string {
  if (index === null) return 'the network';
  return nodes.find((node) => node.index === index)?.name ?? `node ${index}`;
}
