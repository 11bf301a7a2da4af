/** Served in place of the API by a process that takes no calls: only how it is doing. */

import { newCall } from '../node/api/commands.ts';
import type { Failure } from '../protocol/codes.ts';
import { failure, ok, refuse } from './answers/responses.ts';
import { isQuery } from './checks/call.ts';
import { KEY_HEADER } from './checks/keys.ts';
import { toldOf } from './checks/outcomes.ts';
import { BASE } from './endpoints/endpoint.ts';
import { statusObject } from './shapes/serializers.ts';

/** Why no calls are taken: the node failed and protects its channels, or it waits to take another one's place. */
export type NoCalls = 'safe_mode' | 'standby';

/** `reason`: text for people: until when, and what to do. */
export function createNoCallsApp(code: NoCalls, reason: () => string) {
  const refusal = (): Failure => failure(code, reason());
  return {
    fetch(request: Request): Response {
      const { pathname } = new URL(request.url);
      const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
      if (path === '/livez') return ok({ status: 'ok' });
      if (path === '/status') return ok(statusObject({ status: 'unavailable', reason: reason() }));
      if (isQuery(request.method)) return refuse(refusal());
      // What became of an earlier call with the key is not known here.
      const hasKey = request.headers.has(KEY_HEADER);
      return refuse(
        refusal(),
        toldOf(newCall(), refusal(), () => hasKey),
      );
    },
  };
}
