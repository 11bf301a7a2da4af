/** Routes from a path-finding service, and from this node's own copy of the network while the service fails. */

import type { RouteFinder, RouteRequest } from '../runtime/knowledge/route-finder.ts';
import type { LocalRoutes } from './local-routes.ts';
import type { PathfindingClient } from './pathfinding-client.ts';

/** How long a failed service is not asked again: a silent service makes each payment wait for a timeout. */
const PAUSE_MS = 30_000;

type Options = {
  service: PathfindingClient;
  local: LocalRoutes;
  /** Milliseconds. */
  elapsed(): number;
};

/**
 * If the service answers that there is no route, there is none; the own copy is only searched when the service fails.
 */
export function createRoutingFallback({ service, local, elapsed }: Options): RouteFinder {
  let askAgainAt: number | null = null;

  async function findAlone(request: RouteRequest) {
    const found = await local.find(request);
    return found.ok && found.value.length > 0 ? found : null;
  }

  return {
    async find(request) {
      if (askAgainAt !== null && elapsed() < askAgainAt) {
        const found = await findAlone(request);
        if (found !== null) return found;
      }
      // Other payments that begin meanwhile do not wait for the service as well.
      if (askAgainAt !== null) askAgainAt = elapsed() + PAUSE_MS;
      const found = await service.find(request);
      const isHelp = found.ok || service.asked.trouble() === null;
      askAgainAt = isHelp ? null : elapsed() + PAUSE_MS;
      return isHelp ? found : ((await findAlone(request)) ?? found);
    },
    report: service.report,
    asked: {
      trouble: service.asked.trouble,
      async look() {
        await service.asked.look();
        askAgainAt = service.asked.trouble() === null ? null : elapsed() + PAUSE_MS;
      },
    },
    follows: local.follows,
  };
}
