/** Where a node's payments find their ways: the one place that chooses. */
import { createIous } from './ious.ts';
import { createLocalRoutes } from './local-routes.ts';
import type { OwnChannels } from './own-channels.ts';
import type { NodeParts, NodeSettings } from './parts.ts';
import { createPathfindingClient } from './pathfinding-client.ts';
import { noRoutes, type RouteFinder } from './routes.ts';

/** The finder that the parts bring, else the one of the settings' routing mode. */
export function chooseFinder(
  settings: NodeSettings,
  parts: NodeParts,
  { nowBlock, ...own }: { nowBlock: () => bigint } & OwnChannels,
): RouteFinder {
  if (parts.routes !== undefined) return parts.routes(own);
  switch (settings.routingMode) {
    case 'pfs':
      return pathfindingClient(settings, parts, nowBlock);
    case 'local':
      return createLocalRoutes({ settings, parts, ...own });
  }
}

function pathfindingClient(
  settings: NodeSettings,
  parts: NodeParts,
  nowBlock: () => bigint,
): RouteFinder {
  const { pathfindingServiceAddress: service, chainId, contracts } = settings;
  if (service === null) return noRoutes;
  const { signer, recover, store, clock } = parts;
  const { tokenNetworkRegistryAddress: registry, oneToNAddress: oneToN } = contracts;
  const now = () => clock.now();
  const sign = (digest: Uint8Array) => signer.sign(digest);
  const facts = { own: signer.address, chainId, now };
  const ious =
    oneToN === null
      ? null
      : createIous({ ...facts, oneToN, sign, recover, rows: store.iouSessions });
  return createPathfindingClient({ ...facts, service, registry, ious, nowBlock });
}
