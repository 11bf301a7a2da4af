/** Amounts as people write them, and the whole numbers of a token's smallest unit that the API takes. */
import type { ClientOptions } from './api.ts';

const DECIMAL = /^(\d{1,78})(?:\.(\d{1,78}))?$/;

/** `toUnits('1.5', 18)` is 1500000000000000000n. Null: no decimal number, or one with more digits than the token has. */
export function toUnits(text: string, decimals: number): bigint | null {
  const [, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  const digits = fraction.replace(/0+$/, '');
  if (whole === '' || digits.length > decimals) return null;
  return BigInt(whole + digits.padEnd(decimals, '0'));
}

/** `fromUnits(1500000000000000000n, 18)` is '1.5': exact, without groups. */
export function fromUnits(units: bigint, decimals: number): string {
  if (units < 0n) return `-${fromUnits(-units, decimals)}`;
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/**
 * The decimals that a token says it has; null when the node has no network of the token, or the token says nothing. Throws
 * when the node does not answer, or refuses.
 */
export async function decimalsOf(
  url: string,
  token: string,
  { token: bearer, fetch = globalThis.fetch }: ClientOptions = {},
): Promise<number | null> {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const answer = await fetch(`${url.replace(/\/+$/, '')}/inspector/labels`, { headers });
  if (!answer.ok)
    throw new Error(`the node refuses its labels (${answer.status}): ${await answer.text()}`);
  const labels: unknown = await answer.json();
  return isLabels(labels)
    ? (labels.tokens.find(({ address }) => address === token)?.decimals ?? null)
    : null;
}

type Labels = { tokens: { address: string; decimals: number }[] };

function isLabels(value: unknown): value is Labels {
  const { tokens }: { tokens?: unknown } = Object(value);
  return Array.isArray(tokens) && tokens.every(isToken);
}

function isToken(value: unknown): boolean {
  const { address, decimals }: { address?: unknown; decimals?: unknown } = Object(value);
  return typeof address === 'string' && typeof decimals === 'number';
}
