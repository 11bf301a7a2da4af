/** The port for clients of `@statelyai/inspect`, guarded against foreign web pages as the API is. */

import type { Log } from '../basics/environment.ts';
import { messageOf } from '../basics/message-of.ts';
import { createDefence } from '../http/checks/defence.ts';
import { originMatcher } from '../http/checks/origins.ts';
import type { NodeInspector } from '../inspector/inspector.ts';
import { type StatelyServer, serveStately } from '../inspector/stately-server.ts';
import { refusal, type Started, started } from './base/refusal.ts';
import type { NodeConfig } from './node-config.ts';

type Parts = {
  config: Pick<NodeConfig, 'statelyPort' | 'api'>;
  /** Null: there is no inspector, so the port is not opened. */
  inspector: Pick<NodeInspector, 'handle'> | null;
  log: Log;
};

/** Null when the port is not configured: then nothing is opened. */
export async function openStately({
  config,
  inspector,
  log,
}: Parts): Promise<Started<StatelyServer | null>> {
  const { statelyPort: port = null, api } = config;
  if (port === null || inspector === null) return started(null);
  const { allowedHosts = [], origins = [] } = api;
  const judge = createDefence({ allowedHosts, isNamedOrigin: originMatcher(origins) });
  try {
    const server = await serveStately({
      port,
      handle: inspector.handle,
      admits: (headers) => judge(headers, undefined) === null,
      onFailure: (error) => log.warn({ error: String(error) }, 'a watching client met a fault'),
    });
    log.info({ port: server.port }, 'clients of @statelyai/inspect may connect');
    return started(server);
  } catch (error) {
    return refusal('stately_inspect', `--stately-inspect cannot listen: ${messageOf(error)}`);
  }
}
