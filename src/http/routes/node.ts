/** Node information, the document of the API, notifications and shutdown. */
import type { NodeApi } from '../../node/api/api.ts';
import { good } from '../answers/responses.ts';
import type { MountRoute } from '../description/described.ts';
import { type OpenApi, writeOpenApi } from '../description/openapi.ts';
import * as endpoints from '../endpoints/node.ts';
import {
  contractsObject,
  healthObject,
  notificationObject,
  statusObject,
} from '../shapes/serializers.ts';

export function nodeRoutes(parts: {
  node: NodeApi;
  route: MountRoute;
  onShutdown: () => void;
}): void {
  const { node, route, onShutdown } = parts;

  route(endpoints.getAddress, () => () => good({ our_address: node.ownAddress }));
  route(endpoints.getVersion, () => () => good({ version: node.version }));
  route(endpoints.getStatus, () => () => good(statusObject(node.status())));
  route(endpoints.getSettings, () => () => {
    return good({ pathfinding_service_address: node.settings.pathfindingServiceAddress });
  });
  route(endpoints.getContracts, () => () => good(contractsObject(node.contracts)));
  // Reading empties the list, so a HEAD must not read it: its answer shows none of it.
  route(endpoints.getNotifications, (_, c) => () => {
    return good(c.req.method === 'HEAD' ? [] : node.notifications().map(notificationObject));
  });
  route(endpoints.getHealth, () => () => good(node.health().map(healthObject)));
  let document: Promise<OpenApi> | null = null;
  route(endpoints.getOpenApi, () => async () => {
    document ??= writeOpenApi(node.version);
    return good(await document);
  });
  route(endpoints.shutDown, () => () => {
    onShutdown();
    node.shutdown();
    return good({ status: 'shutdown' as const });
  });
}
