/** What is served instead of the API while a failed node protects its channels in safe mode: how it is doing, and nothing else. */
import type { Failure } from '../protocol/codes.ts';
import { BASE } from './endpoints/endpoint.ts';
import { failure, ok, refuse } from './responses.ts';
import { statusObject } from './serializers.ts';

/** `reason`: for people, why, until when, and what to do. */
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
