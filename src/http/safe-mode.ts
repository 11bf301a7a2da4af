/** Served instead of the API while a failed node protects its channels in safe mode: only how the node is doing. */
import type { Failure } from '../protocol/codes.ts';
import { BASE } from './endpoints/endpoint.ts';
import { failure, ok, refuse } from './responses.ts';
import { statusObject } from './serializers.ts';

/** `reason`: text for people: why safe mode is on, until when, and what to do. */
export function createSafeModeApp(reason: () => string) {
  const refusal = (): Failure => failure('safe_mode', reason());
  return {
    fetch(request: Request): Response {
      const { pathname } = new URL(request.url);
      const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
      if (path === '/livez') return ok({ status: 'ok' });
      if (path === '/status') return ok(statusObject({ status: 'unavailable', reason: reason() }));
      return refuse(refusal());
    },
  };
}
