/** Node information and shutdown. */
import type { NodeApi } from '../../node/api.ts';
import { ok } from '../answers.ts';
import { noAddress, type Route } from '../calls.ts';
import { contractsObject, statusObject } from '../views.ts';

export function nodeRoutes(parts: { node: NodeApi; route: Route; onShutdown: () => void }): void {
  const { node, route, onShutdown } = parts;

  function information(path: string, read: () => unknown, atOnce = false): void {
    route({ path, addresses: noAddress, atOnce, methods: { GET: () => () => ok(read()) } });
  }
  information('/address', () => ({ our_address: node.ownAddress }));
  information('/version', () => ({ version: node.version }));
  information('/status', () => statusObject(node.status()), true);
  information('/settings', () => ({
    pathfinding_service_address: node.settings.pathfindingServiceAddress,
  }));
  information('/contracts', () => contractsObject(node.contracts));

  route({
    path: '/shutdown',
    addresses: noAddress,
    atOnce: true,
    methods: {
      POST: () => () => {
        onShutdown();
        node.shutdown();
        return ok({ status: 'shutdown' });
      },
    },
  });
}
