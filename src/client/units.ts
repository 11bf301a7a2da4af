/** Amounts as people write them, and the whole numbers of a token's smallest unit that the API takes. */
import { unitsOf } from '../basics/digits.ts';
import { bearerOf, type ClientOptions, placeOf } from './api.ts';

const DECIMAL = /^(\d{1,78})(?:\.(\d{1,78}))?$/;

/** `toUnits('1.5', 18)` is 1500000000000000000n. Null: no decimal number, or one with more digits than the token has. */
export function toUnits(text: string, decimals: number): bigint | null {
  const [, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === '' ? null : unitsOf(whole, fraction, decimals);
}

/** What a token says of itself. `symbol`: as it is shown to people; null: it says none. */
export type TokenLabel = { decimals: number; symbol: string | null };

/**
 * The label of a token; null when the node has no network of the token, or the token says nothing. Throws when the node does
 * not answer, or refuses.
 */
export async function labelOf(
  url: string,
  token: string,
  { token: bearer, fetch = globalThis.fetch }: ClientOptions = {},
): Promise<TokenLabel | null> {
  const answer = await fetch(`${placeOf(url)}/inspector/labels`, { headers: bearerOf(bearer) });
  if (!answer.ok)
    throw new Error(`the node refuses its labels (${answer.status}): ${await answer.text()}`);
  const labels: unknown = await answer.json();
  if (!isLabels(labels)) return null;
  const found = labels.tokens.find(({ address }) => address === token);
  if (found === undefined) return null;
  const { decimals, symbol } = found;
  return { decimals, symbol: typeof symbol === 'string' && symbol !== '' ? symbol : null };
}

/** Only the decimals of its label. */
export async function decimalsOf(
  url: string,
  token: string,
  options: ClientOptions = {},
): Promise<number | null> {
  return (await labelOf(url, token, options))?.decimals ?? null;
}

type Labels = { tokens: { address: string; decimals: number; symbol?: unknown }[] };

function isLabels(value: unknown): value is Labels {
  const { tokens }: { tokens?: unknown } = Object(value);
  return Array.isArray(tokens) && tokens.every(isToken);
}

function isToken(value: unknown): boolean {
  const { address, decimals }: { address?: unknown; decimals?: unknown } = Object(value);
  return typeof address === 'string' && typeof decimals === 'number';
}
