/** Handles uncaught errors of this process: it ends, unless a handler is set. */
import { briefly } from '../../basics/printable.ts';
import { cleanText } from './redact.ts';
import { say } from './terminal.ts';

/** sysexits.h calls it EX_SOFTWARE. */
export const FATAL = 70;

type Handler = (error: unknown) => void;
let handler: Handler | null = null;

/** From now on the handler is called with uncaught errors, and the process continues. */
export function handleUncaught(given: Handler): void {
  handler = given;
}

/** Prints an uncaught error, with secrets hidden: Node itself would print everything that the error holds. */
export function uncaught(error: unknown): void {
  tell(error);
  if (handler === null) process.exit(FATAL);
  handler(error);
}

/** As `uncaught`, of an error that ends the call; answers the exit code. */
export function unexpected(error: unknown): number {
  tell(error);
  handler?.(error);
  return FATAL;
}

function tell(error: unknown): void {
  // Only stack frames are printed unchanged: a message of the chain's library may hold the endpoint's URL with its key.
  const frames = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const places = frames.filter((line) => line.startsWith('    at '));
  say([`sluice: unexpected: ${cleanText(briefly(error))}`, ...places].join('\n'));
}
