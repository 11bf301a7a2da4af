/** Asks the server behind, and says who is to blame when it has no answer: on that depends who pays. */
import type { Log } from '../basics/environment.ts';
import { refusal } from './refusal.ts';
import type { Upstream } from './upstream.ts';

/** As other proxies say it in their logs; nobody reads it. */
const CALLER_LEFT = 499;

/**
 * `blame`: who is the reason that there is no answer of the server behind; `nobody`: it was not asked. Null: there is one.
 */
export type Passed = { answer: Response; blame: 'caller' | 'server' | 'nobody' | null };

/** `detached`: the same call, which is made to its end when its caller leaves. */
export async function passOn(
  upstream: Upstream,
  request: Request,
  from: string | null,
  { log, detached = null }: { log: Log; detached?: Request | null },
): Promise<Passed> {
  // Whoever hung up while the payment was redeemed has had nothing.
  if (request.signal.aborted)
    return {
      answer: refusal(503, 'caller_left', 'The call was not passed on.'),
      blame: 'nobody',
    };
  try {
    return { answer: await upstream(detached ?? request, from), blame: null };
  } catch (error) {
    // No failure of the server behind: it may have done what it was asked, and a buyer could have that again and again.
    if (request.signal.aborted && detached === null)
      return {
        answer: refusal(CALLER_LEFT, 'caller_left', 'The call was broken off by the caller.'),
        blame: 'caller',
      };
    const reason = error instanceof Error ? String(error.cause ?? error) : String(error);
    log.warn({ reason }, 'the upstream cannot be reached');
    return {
      answer: refusal(502, 'upstream_unreachable', 'The server behind this one does not answer.'),
      blame: 'server',
    };
  }
}
