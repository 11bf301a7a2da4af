/** Errors in words, for people. */
import { BaseError } from 'viem';

/** What went wrong, for people. Never viem's whole message: it holds the URL, which may hold a key. */
export function describe(error: unknown): string {
  if (error instanceof BaseError) return printable(`${error.name}: ${error.shortMessage}`);
  return error instanceof Error ? printable(error.message) : 'unknown';
}

/** At most 200 characters of printable ASCII: contracts and endpoints may put anything into a text. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
