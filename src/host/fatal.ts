/** Keeps the first reason for which a node cannot go on, and reports it. */
import type { FatalKind } from '../node/runtime/parts.ts';
import type { NodeHooks } from './node-config.ts';

export type Fatal = ReturnType<typeof createFatal>;

/** Only the first reason counts; the API's callers are answered as soon as there is one. */
export function createFatal(hooks: Pick<NodeHooks, 'log' | 'onFatal'>) {
  let reason: string | null = null;
  let kindMet: FatalKind = 'internal';
  let fail: ((isInternal: boolean) => void) | null = null;

  function report() {
    if (reason === null || fail === null) return;
    fail(kindMet === 'internal');
    hooks.onFatal(reason, kindMet);
  }
  function met(why: string, _error: unknown, kind: FatalKind) {
    if (reason !== null) return;
    reason = why;
    kindMet = kind;
    report();
  }
  return {
    met,
    /** Text for people; null before there is a reason. */
    reason: () => reason,
    inCall(error: unknown) {
      hooks.log.error({ error: String(error) }, 'an API call failed');
      met('an API call failed', error, 'internal');
    },
    /** Sets how waiting callers are answered; called at once when there is a reason already. */
    answerWith(answer: (isInternal: boolean) => void) {
      fail = answer;
      report();
    },
  };
}
