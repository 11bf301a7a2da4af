/** Errors in words, for people. */
import { BaseError, HttpRequestError } from 'viem';
import { briefly, printable, withoutKeys } from '../basics/printable.ts';
import { isNoJson, wordsOf } from './errors.ts';

/**
 * What went wrong, for people: the endpoint's own words when it said anything. Never viem's whole message: it holds the
 * URL, which may hold a key.
 */
export function describe(error: unknown): string {
  const words = wordsOf(error);
  if (words !== null) return printable(`the endpoint answered: ${words}`);
  const http =
    error instanceof BaseError && error.walk((cause) => cause instanceof HttpRequestError);
  return http instanceof HttpRequestError ? printable(describeHttp(http)) : briefly(error);
}

function describeHttp(error: HttpRequestError): string {
  const { status, details, headers, url } = error;
  if (isNoJson(error)) return 'the endpoint answered with something that is no JSON';
  // viem leaves it out when it knows nothing.
  const said = details ? `: ${withoutKeys(details, url)}` : '';
  if (status === undefined) return `the endpoint does not answer${said}`;
  const seconds = Number(headers?.get('retry-after'));
  const wait = seconds > 0 ? `, to be asked again after ${seconds} seconds` : '';
  return `the endpoint answered with HTTP status ${status}${wait}${said}`;
}
