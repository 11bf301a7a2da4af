/** Answers at the API's address while a failed node protects its channels in safe mode. */
import { createSafeModeApp } from '../http/safe-mode.ts';
import { serve } from '../http/server.ts';
import type { Log } from '../protocol/environment.ts';

export type SafeModeAddress = { host: string; port: number; allowPublic: boolean };

/** Starts to serve; if it cannot listen, it only logs that. The returned function ends it. */
export async function serveSafeMode(
  address: SafeModeAddress,
  { reason, log }: { reason: () => string; log: Log },
): Promise<() => Promise<void>> {
  try {
    const server = await serve({ app: createSafeModeApp(reason), ...address });
    return server.close;
  } catch (error) {
    log.warn(
      { error: String(error) },
      'nobody can be told over HTTP that the node is in safe mode',
    );
    return async () => {};
  }
}
