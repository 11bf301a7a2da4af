/**
 * Commands that one actor gives to another: the request id names the asker, who hears the answer within the
 * same turn. Everybody else who asks waits outside, and is answered after the commit.
 */
import type { Effect, Reply } from './effects.ts';

/** The request id of a command that `asker` gives to the actor `about`. */
export const askedBy = (asker: string, about: string): string => `${asker}>${about}`;

/** The reply as it reaches the caller. */
export function toAsker(reply: Reply): Effect {
  const [asker, about] = reply.requestId.split('>');
  if (asker === undefined || about === undefined) return reply;
  const failure = reply.type === 'reply.ok' ? null : { code: reply.code, detail: reply.detail };
  return { type: 'notify', to: asker, event: { type: 'actor.answered', about, failure } };
}
