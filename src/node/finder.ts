/** Where a node's payments find their ways: the one place that chooses. */
import type { NodeParts, NodeSettings } from './parts.ts';
import { noRoutes, type RouteFinder } from './routes.ts';

/** The finder that the parts bring, else the one of the settings' routing mode. */
export function chooseFinder(settings: NodeSettings, parts: NodeParts): RouteFinder {
  if (parts.routes !== undefined) return parts.routes;
  switch (settings.routingMode) {
    case 'pfs':
      return noRoutes;
    case 'local':
      return noRoutes;
  }
}
