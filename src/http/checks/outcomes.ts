/** What an answer says of a call that could have changed something and did not succeed: whether anything may still happen. */
import type { Call } from '../../node/runtime/knowledge/calls.ts';
import type { Failure, Outcome } from '../../protocol/codes.ts';
import { internalError, refuse, type ToldOutcome } from '../answers/responses.ts';

/** What each outcome means, and what the caller does: rows of the OpenAPI document and of docs/calls.md. */
export const OUTCOME_ROWS = {
  not_begun: [
    'Nothing has begun, and nothing will.',
    'Make the call again, with the same key or without one, when the reason is gone.',
  ],
  pending: [
    'Something has begun, or may have, and may still happen.',
    'Make the same call again with the same key; without a key ask what became of it before you make another.',
  ],
  failed: [
    'It was begun, and is over without success: nothing more will happen.',
    'Make a new call, with another key.',
  ],
} as const satisfies Record<Outcome, readonly [means: string, then: string]>;

/** Where is told what became of a call without a key. */
export const ASKED_BY = {
  'POST /payments/{token}/{partner}':
    '`GET /payments/{token}/{partner}?identifier=…` when it is over, until then `GET /pending_transfers`',
  'PUT /channels':
    '`GET /channels/{token}/{partner}` when it is open, until then `GET /pending_channels`',
  'PATCH /channels/{token}/{partner}': '`GET /channels/{token}/{partner}`',
  'POST /waiting_transactions': '`GET /waiting_transactions`: what is sent is not in it',
  'PUT /connections/{token}': '`GET /channels/{token}`',
  'DELETE /connections/{token}': '`GET /channels/{token}`',
  'PUT /tokens/{token}': '`GET /tokens/{token}`',
  'POST /user_deposit':
    'the same call: a total is paid in once, another order is refused while one is on its way',
  'POST /_testing/tokens/{token}/mint': 'the chain',
} as const;

/** `isRepeated`: a call with this key has begun something earlier, or that is not known. */
export function toldOf(
  { begun }: Call,
  refusal: Pick<Failure, 'outcome'> | null,
  isRepeated: () => boolean,
): ToldOutcome {
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
