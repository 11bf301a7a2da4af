/** Answers at the API's address while the process takes no calls: in safe mode, or as a standby. */

import { defended } from '../http/checks/defended.ts';
import { createNoCallsApp, type NoCalls } from '../http/no-calls.ts';
import { serve } from '../http/server.ts';
import type { ApiConfig } from './node-api.ts';

export type NoCallsAddress = Pick<
  ApiConfig,
  'host' | 'port' | 'tokens' | 'allowedHosts' | 'origins'
>;
type Options = { code: NoCalls; reason: () => string; onFailure(error: unknown): void };

/** Starts to serve; `onFailure` is called when it cannot listen. The returned function ends it. */
export async function serveNoCalls(
  { host, port, tokens = [], ...admitted }: NoCallsAddress,
  { code, reason, onFailure }: Options,
): Promise<() => Promise<void>> {
  try {
    const app = defended(createNoCallsApp(code, reason), admitted, 'probe');
    const server = await serve({ app, host, port, allowPublic: tokens.length > 0 });
    return server.close;
  } catch (error) {
    onFailure(error);
    return async () => {};
  }
}
