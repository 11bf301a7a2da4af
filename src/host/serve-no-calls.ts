/** Answers at the API's address while the process takes no calls: in safe mode, or as a standby. */
import { createNoCallsApp, type NoCalls } from '../http/no-calls.ts';
import { serve } from '../http/server.ts';
import type { Log } from '../protocol/environment.ts';

export type NoCallsAddress = { host: string; port: number; allowPublic: boolean };
type Options = { code: NoCalls; reason: () => string; log: Log };

/** Starts to serve; if it cannot listen, it only logs that. The returned function ends it. */
export async function serveNoCalls(
  address: NoCallsAddress,
  { code, reason, log }: Options,
): Promise<() => Promise<void>> {
  try {
    const server = await serve({ app: createNoCallsApp(code, reason), ...address });
    return server.close;
  } catch (error) {
    log.warn({ error: String(error) }, 'nobody can be told over HTTP why no calls are taken');
    return async () => {};
  }
}
