/**
 * Names of tokens and addresses, and how amounts are written, for the whole page. An address without a name is
 * shown as itself; an amount of a token without a label is written in the token's smallest unit.
 */
import { signal } from '@preact/signals';
import { fromUnits, groupDigits, grouped, inTokens } from '../basics/digits.ts';
import type { InspectorSource } from '../inspector/source.ts';
import { shortId } from '../inspector/texts/short-id.ts';
import type { Labels } from '../inspector/wire.ts';
import type { FigureUnit } from './figure.ts';

type TokenLabel = Labels['tokens'][number];

/** How amounts are written: as tokens with a symbol, or as whole numbers of the smallest unit. */
export type AmountUnits = 'tokens' | 'units';

export const units = signal<AmountUnits>('tokens');
const book = signal<{ tokens: Map<string, TokenLabel>; names: Map<string, string> }>({
  tokens: new Map(),
  names: new Map(),
});

const PERIOD_MS = 30_000;

/** URL that shows a transaction, with `{hash}` in place of its hash; null: none. */
const explorer = signal<string | null>(null);

export function setLabels({ tokens, names, explorer: shownAt }: Labels): void {
  explorer.value = shownAt ?? null;
  book.value = {
    tokens: new Map(tokens.map((token) => [token.address.toLowerCase(), token])),
    names: new Map(names.map(({ address, name }) => [address.toLowerCase(), name])),
  };
}

/**
 * Reads the labels every 30 seconds, as tokens may be added, until the returned function is called. A failed read
 * changes nothing.
 */
export function followLabels(source: InspectorSource): () => void {
  const ask = () => void source.read('labels', 'labels').then(setLabels, () => {});
  const timer = setInterval(ask, PERIOD_MS);
  ask();
  return () => clearInterval(timer);
}

/** URL at which the operator wants a transaction to be shown; null: there is none, or `hash` is no hash. */
export function explorerLink(hash: string): string | null {
  const isHash = /^0x[0-9a-f]{64}$/.test(hash);
  return isHash ? (explorer.value?.replaceAll('{hash}', hash) ?? null) : null;
}

/** The name that the operator gave, or the address, shortened. */
export function personName(address: string): string {
  return book.value.names.get(address.toLowerCase()) ?? shortId(address);
}

/** Whether the operator gave the address a name. */
export function isNamed(address: string): boolean {
  return book.value.names.has(address.toLowerCase());
}

/** The token's symbol; with the address when two tokens have the same symbol; without a label only the address. */
export function tokenName(address: string): string {
  const { tokens } = book.value;
  const label = tokens.get(address.toLowerCase());
  if (label === undefined) return shortId(address);
  const alike = [...tokens.values()].filter(({ symbol }) => symbol === label.symbol);
  return alike.length === 1 ? label.symbol : `${label.symbol} (${shortId(address)})`;
}

/** The unit of an amount, as a figure claims it; an amount of nobody knows what is a count. */
export function tokenUnit(token: string | null): FigureUnit {
  return token?.startsWith('0x') ? `0x${token.slice(2)}` : 'count';
}

/** The decimals of a token with a label, else null. */
export function tokenDecimals(address: string): number | null {
  return book.value.tokens.get(address.toLowerCase())?.decimals ?? null;
}

/** The amount in the units that the reader chose: `92.2523 TTA`, or `92,252,300,000,000,000,000`. */
export function amountText(value: bigint, token: string | null): string {
  const label = token === null ? undefined : book.value.tokens.get(token.toLowerCase());
  if (label === undefined || units.value === 'units') return grouped(value);
  return `${inTokens(value, label.decimals)} ${label.symbol}`;
}

/** Every digit of an amount, where somebody decides about it: `1.000000000000000001 TTA`. */
export function wholeAmountText(value: bigint, token: string): string {
  const label = book.value.tokens.get(token.toLowerCase());
  if (label === undefined || units.value === 'units') return exactText(value, token);
  const [whole = '', ...fraction] = fromUnits(value, label.decimals).split('.');
  return `${[groupDigits(BigInt(whole)), ...fraction].join('.')} ${label.symbol}`;
}

/** The amount without the symbol, for columns and drawings that name the token elsewhere. */
export function amountFigure(value: bigint, token: string | null): string {
  const label = token === null ? undefined : book.value.tokens.get(token.toLowerCase());
  if (label === undefined || units.value === 'units') return grouped(value);
  return inTokens(value, label.decimals);
}

/** The exact amount in the smallest unit, in words. */
export function exactText(value: bigint, token: string | null): string {
  const label = token === null ? undefined : book.value.tokens.get(token.toLowerCase());
  const unit = value === 1n || value === -1n ? 'unit' : 'units';
  return `${grouped(value)} ${unit}${label === undefined ? '' : ` of ${label.symbol}`}`;
}
