/**
 * Commands that one actor gives to another. The request id names the asking actor, which gets the answer within the
 * same turn. A caller outside of the actors gets its answer after the commit.
 */
import type { Effect, Reply } from '../effects.ts';

/** The request id of a command that `asker` gives to the actor `about`. */
export const askedBy = (asker: string, about: string): string => `${asker}>${about}`;

/** The reply in the form in which the caller gets it: a notice for an asking actor, the reply itself for any other. */
export function toAsker(reply: Reply): Effect {
  const [asker, about] = reply.requestId.split('>');
  if (asker === undefined || about === undefined) return reply;
  const failure = reply.type === 'reply.ok' ? null : { code: reply.code, detail: reply.detail };
  return { type: 'notify', to: asker, event: { type: 'actor.answered', about, failure } };
}
