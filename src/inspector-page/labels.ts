/**
 * What tokens and addresses are called, and how amounts are written, for the whole page. Without a name an address
 * stands for itself; without a label an amount is written in the token's smallest unit.
 */
import { signal } from '@preact/signals';
import type { Source } from '../inspector/source.ts';
import type { Labels } from '../inspector/wire.ts';
import { grouped } from '../protocol/digits.ts';
import { shortId } from './digits.ts';

type TokenLabel = Labels['tokens'][number];

/** How amounts are written: as tokens with a symbol, or as whole numbers of the smallest unit. */
export type Units = 'tokens' | 'units';

export const units = signal<Units>('tokens');
const book = signal<{ tokens: Map<string, TokenLabel>; names: Map<string, string> }>({
  tokens: new Map(),
  names: new Map(),
});

/** Digits after the point; the rest is cut off, and said where the pointer rests. */
const DIGITS = 4;
const PERIOD_MS = 30_000;

/** Where a transaction is shown, `{hash}` for its hash; null: nowhere. */
const explorer = signal<string | null>(null);

export function setLabels({ tokens, names, explorer: shownAt }: Labels): void {
  explorer.value = shownAt ?? null;
  book.value = {
    tokens: new Map(tokens.map((token) => [token.address.toLowerCase(), token])),
    names: new Map(names.map(({ address, name }) => [address.toLowerCase(), name])),
  };
}

/** Asks now and then, until the answer is called: a token may come later. What is known stays. */
export function followLabels(source: Source): () => void {
  const ask = () => void source.read('labels', 'labels').then(setLabels, () => {});
  const timer = setInterval(ask, PERIOD_MS);
  ask();
  return () => clearInterval(timer);
}

/** Where the operator wants transactions to be looked at; null: nowhere, or it is no hash. */
export function explorerLink(hash: string): string | null {
  const isHash = /^0x[0-9a-f]{64}$/.test(hash);
  return isHash ? (explorer.value?.replaceAll('{hash}', hash) ?? null) : null;
}

/** The name that the operator gave, or the address, shortened. */
export function personName(address: string): string {
  return book.value.names.get(address.toLowerCase()) ?? shortId(address);
}

/** Whether somebody gave the address a name. */
export function isNamed(address: string): boolean {
  return book.value.names.has(address.toLowerCase());
}

/** The symbol; with the address where two tokens call themselves the same, and that alone without a label. */
export function tokenName(address: string): string {
  const { tokens } = book.value;
  const label = tokens.get(address.toLowerCase());
  if (label === undefined) return shortId(address);
  const alike = [...tokens.values()].filter(({ symbol }) => symbol === label.symbol);
  return alike.length === 1 ? label.symbol : `${label.symbol} (${shortId(address)})`;
}

/** As the reader wants amounts: `92.2523 TTA`, or `92,252,300,000,000,000,000`. */
export function amountText(value: bigint, token: string | null): string {
  const label = token === null ? undefined : book.value.tokens.get(token.toLowerCase());
  if (label === undefined || units.value === 'units') return grouped(value);
  const text = inTokens(value, label.decimals);
  return text === null ? `${grouped(value)} units` : `${text} ${label.symbol}`;
}

/** The same without the symbol, for columns and drawings that name the token elsewhere. */
export function amountFigure(value: bigint, token: string | null): string {
  const label = token === null ? undefined : book.value.tokens.get(token.toLowerCase());
  if (label === undefined || units.value === 'units') return grouped(value);
  return inTokens(value, label.decimals) ?? `${grouped(value)} units`;
}

/** To the unit, in words. */
export function exactText(value: bigint, token: string | null): string {
  const label = token === null ? undefined : book.value.tokens.get(token.toLowerCase());
  const unit = value === 1n || value === -1n ? 'unit' : 'units';
  return `${grouped(value)} ${unit}${label === undefined ? '' : ` of ${label.symbol}`}`;
}

/** Null: it is too little to be seen among so few digits. */
function inTokens(value: bigint, decimals: number): string | null {
  if (value === 0n) return '0';
  if (value < 0n) {
    const text = inTokens(-value, decimals);
    return text === null ? null : `\u2212${text}`;
  }
  const whole = 10n ** BigInt(decimals);
  const shown = Math.min(DIGITS, decimals);
  if (value < 10n ** BigInt(decimals - shown)) return null;
  const digits = (value % whole).toString().padStart(decimals, '0').slice(0, shown);
  const fraction = digits.replace(/0+$/, '');
  return fraction === '' ? grouped(value / whole) : `${grouped(value / whole)}.${fraction}`;
}
