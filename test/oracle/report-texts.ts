/** Whether the texts of a report say what they claim: cut or rounded as they may be, with the exact value at hand. */
import { type Tokens, wrongText } from './judge.ts';
import type { Figure } from './read.ts';

/** The only token of a report, as `Tokens` names it. */
const TOKEN = '0x00';

/** Of a report's token; null: the text is right. */
export function wrongReportText(
  figure: Figure,
  token: { symbol: string; decimals: number },
): string | null {
  const { claim, value, unit, text, title } = figure;
  const tokens: Tokens = new Map([[TOKEN, token]]);
  if (unit === 'token' || unit === 'token-blocks')
    return wrongText({ ...figure, unit: TOKEN }, tokens);
  if (unit === 'wei') return wrongText(figure, tokens);
  const problem = problemOf(figure);
  if (problem !== null) return `${claim} says “${text}” of ${value} ${unit}: ${problem}`;
  const isWhole =
    unit === 'share' ||
    unit === 'word' ||
    text.replaceAll(',', '').replace('−', '-').includes(value);
  const isExact = isWhole || Number(value) === 0 || title !== null;
  return isExact ? null : `${claim} says “${text}” of ${value} ${unit}, and nowhere all of it`;
}

function problemOf({ claim, value, unit, text, title }: Figure): string | null {
  const number = Number(value);
  switch (unit) {
    case 'word':
      return text === value || (title === value && value.startsWith(text.replace('…', '')))
        ? null
        : 'other words';
    case 'share':
      return cutProblem(number / 10, /^(−?[\d,.]+) %/.exec(text)?.[1]);
    case 'span':
      return spanProblem(number, text);
    case 'blocks':
      if (/latency/.test(claim) && number === 0)
        return text === 'under a block' ? null : 'a payment takes some time';
      return roundProblem(number, text);
    default:
      return roundProblem(number, text);
  }
}

const toNumber = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'));
const placesIn = (text: string): number => /\.(\d+)/.exec(text)?.[1]?.length ?? 0;

/** A number that is cut, as a percentage is: neither nothing nor all unless it is. */
function cutProblem(exact: number, text: string | undefined): string | null {
  if (text === undefined) return 'no number';
  const written = toNumber(text);
  const step = 10 ** -Math.max(1, placesIn(text));
  if (written === 0 && exact !== 0) return 'nothing, and there is something';
  const behind = Math.abs(exact) - Math.abs(written);
  return behind > -1e-9 && behind < step + 1e-9 ? null : 'not its beginning';
}

const UNITS: Record<string, number> = { h: 3_600_000, min: 60_000, s: 1000, ms: 1 };

function spanProblem(ms: number, text: string): string | null {
  const parts = [...text.matchAll(/([\d,.]+) (h|min|s|ms)\b/g)];
  if (parts.length === 0) return 'no time';
  const written = parts.reduce(
    (sum, [, digits = '', unit = '']) => sum + toNumber(digits) * (UNITS[unit] ?? 0),
    0,
  );
  const [, digits = '', unit = ''] = parts.at(-1) ?? [];
  const coarsest =
    parts.length === 1 && unit === 'h' ? 60_000 : parts.length === 1 && unit === 'min' ? 1000 : 0;
  const step =
    coarsest ||
    (UNITS[unit] ?? 0) * 10 ** -(unit === 's' && parts.length === 1 ? 1 : placesIn(digits));
  if (written === 0 && ms !== 0) return 'no time at all';
  return ms - written > -1e-6 && ms - written < step + 1e-6 ? null : 'another time';
}

const PREFIXES: Record<string, number> = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** A number that is rounded to the digits that it has, which is nothing only if it is. */
function roundProblem(exact: number, text: string): string | null {
  const [, sign = '', digits, power = '0', prefix = ''] =
    /([−-]?)([\d,]+(?:\.\d+)?)(?:e(-?\d+))?([kMGT](?![a-z]))?/.exec(text) ?? [];
  if (digits === undefined) return 'no number';
  const size = 10 ** Number(power) * (PREFIXES[prefix] ?? 1);
  const written = toNumber(digits) * size * (sign === '' ? 1 : -1);
  if (written === 0 && exact !== 0) return 'nothing, and there is something';
  const isWhole = placesIn(digits) === 0 && prefix === '' && power === '0';
  // A third of what it shows is behind the digits of a number that is shown whole.
  const step = size * 10 ** -placesIn(digits) * (isWhole && Number.isInteger(exact) ? 0 : 0.5);
  // Zeros at the end are left out: what is rounded to one digit may show none.
  const slack = prefix === '' ? step : Math.max(step, size * 0.05);
  return Math.abs(exact - written) <= slack * (1 + 1e-9) + 1e-12 * Math.abs(exact)
    ? null
    : 'another number';
}

/** What is wrong with the label of a tick; null: it says its value. */
export function wrongTick(
  { value, unit, text }: { value: string; unit: string | null; text: string },
  { decimals }: { decimals: number },
): string | null {
  const number = Number(value);
  if (unit === 'share') return cutProblem(number / 10, /^(−?[\d,.]+) %/.exec(text)?.[1]);
  const exact = unit === 'token' ? number / 10 ** decimals : number;
  return roundProblem(exact, text);
}
