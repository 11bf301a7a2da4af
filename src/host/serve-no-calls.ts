/** Answers at the API's address while the process takes no calls: in safe mode, or as a standby. */
import { createNoCallsApp, type NoCalls } from '../http/no-calls.ts';
import { serve } from '../http/server.ts';

export type NoCallsAddress = { host: string; port: number; allowPublic: boolean };
type Options = { code: NoCalls; reason: () => string; onFailure(error: unknown): void };

/** Starts to serve; `onFailure` is called when it cannot listen. The returned function ends it. */
export async function serveNoCalls(
  address: NoCallsAddress,
  { code, reason, onFailure }: Options,
): Promise<() => Promise<void>> {
  try {
    const server = await serve({ app: createNoCallsApp(code, reason), ...address });
    return server.close;
  } catch (error) {
    onFailure(error);
    return async () => {};
  }
}
