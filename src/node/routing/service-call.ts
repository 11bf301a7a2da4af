/** Calls the HTTP API of services. Their answers are limited in time and size, and never trusted. */
import { parse, stringify } from 'lossless-json';
import * as v from 'valibot';
import { MAX_UINT256, parseDecimal, parseSignedDecimal } from '../../basics/amount.ts';
import { boundedText } from '../../basics/bounded-text.ts';
import { type Address, parseAddress } from '../../basics/hex.ts';

const LONGEST_ANSWER = 65_536;

/** A JSON value whose integers are bigint; null when there was no answer in time, or it was too large or no JSON. */
export type ServiceAnswer = { status: number; body: unknown } | null;
export type ServiceCall = { url: string; signal: AbortSignal; body?: unknown };

/** The URL of the service's API, from the address as an operator writes it, with or without a slash at the end. */
export function apiOf(service: string): string {
  return `${service.replace(/\/+$/, '')}/api/v1`;
}

/** GET, or POST of `body` when there is one; integers of any size are written as JSON numbers. */
export async function callService({ url, signal, body }: ServiceCall): Promise<ServiceAnswer> {
  try {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stringify(body) ?? '',
    };
    const init = body === undefined ? {} : post;
    const response = await fetch(url, { ...init, signal, redirect: 'error' });
    const text = await boundedText(response, LONGEST_ANSWER);
    return { status: response.status, body: exactly(text) };
  } catch {
    return null;
  }
}

/** Parses integers as bigint, because amounts do not fit into a double. Every other number becomes a double. */
function exactly(text: string): unknown {
  return parse(text, undefined, {
    parseNumber: (digits) => parseSignedDecimal(digits) ?? Number(digits),
  });
}

/** An integer of 0 to 2^256 - 1, as a number or as decimal text. */
export const integerField = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'bigint' ? value : parseDecimal(value))),
  v.bigint(),
  v.minValue(0n),
  v.maxValue(MAX_UINT256),
);
/** An address in upper, lower or mixed case, converted to its EIP-55 form. */
export const addressField = v.pipe(
  v.unknown(),
  v.transform(parseAddress),
  v.custom<Address>((value) => value !== null),
);
