/** What an answer says of a call that could have changed something and did not succeed: whether anything may still happen. */
import type { Call } from '../node/runtime/calls.ts';
import type { Failure } from '../protocol/codes.ts';
import { internalError, refuse, type Told } from './responses.ts';

/** `isRepeated`: a call with this key has begun something earlier, or that is not known. */
export function toldOf(
  { begun }: Call,
  refusal: Pick<Failure, 'outcome'> | null,
  isRepeated: () => boolean,
): Told {
  const stated = refusal === null && begun !== null ? 'pending' : refusal?.outcome;
  const outcome = stated ?? (isRepeated() ? 'pending' : 'not_begun');
  const paymentId = outcome === 'not_begun' ? null : (begun?.paymentId ?? null);
  return paymentId === null ? { outcome } : { outcome, identifier: String(paymentId) };
}

/**
 * The answer to a call of a node that has ended meanwhile. `call`: null: it could change nothing; `hasKey`: whether it is
 * perhaps a repeated one; `isInternal`: the node has failed.
 */
export function unanswered(
  call: Call | null,
  { hasKey, isInternal }: { hasKey: boolean; isInternal: boolean },
): Response {
  if (call === null) return isInternal ? internalError() : refuse(ENDED);
  const told = toldOf(call, null, () => hasKey && call.keyed === null);
  return isInternal && call.begun !== null ? internalError(told) : refuse(ENDED, told);
}

const ENDED: Failure = { ok: false, code: 'shutting_down' };
