/** What nobody caught in this process: it ends, unless somebody has more to do first. */
import { describe } from '../chain/errors.ts';
import { cleanText } from './redact.ts';
import { say } from './terminal.ts';

/** sysexits.h calls it EX_SOFTWARE. */
export const FATAL = 70;

type Handler = (error: unknown) => void;
let handler: Handler | null = null;

/** From now on the handler is told of what nobody caught, and the process goes on. */
export function handleUncaught(given: Handler): void {
  handler = given;
}

/** Tells of what nobody expected, thrown anywhere: Node itself would print all that the error holds. */
export function uncaught(error: unknown): void {
  // A message of the chain's library may hold the endpoint's URL with its access key: frames do not.
  const frames = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const places = frames.filter((line) => line.startsWith('    at '));
  say([`sluice: unexpected: ${cleanText(describe(error))}`, ...places].join('\n'));
  if (handler === null) process.exit(FATAL);
  handler(error);
}
