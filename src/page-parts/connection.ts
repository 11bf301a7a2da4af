/** The state of the connection to the node, as the reader sees it. */
import { SourceError } from '../inspector/source.ts';

/** `reconnecting` becomes `lost` after a while; `token`: the node answers, but only to those with a token. */
export type NodeConnection = 'connecting' | 'live' | 'reconnecting' | 'lost' | 'token';

export const LOST_AFTER_MS = 10_000;

/** The state after a request has failed and no request was answered for `silentMs`. */
export function connectionAfter(error: unknown, silentMs: number): NodeConnection {
  if (needsToken(error)) return 'token';
  return silentMs < LOST_AFTER_MS ? 'reconnecting' : 'lost';
}

function needsToken(error: unknown): boolean {
  return error instanceof SourceError && (error.status === 401 || error.status === 403);
}
