/** Chooses how a node finds routes for its payments. */

import { serviceRegistryAbi } from '../../chain/abi.ts';
import type { OwnChannels } from '../runtime/actors/own-channels.ts';
import { noRoutes, type RouteFinder } from '../runtime/knowledge/route-finder.ts';
import type { NodeParts, NodeSettings } from '../runtime/parts.ts';
import { createIous } from './ious.ts';
import { createLocalRoutes } from './local-routes.ts';
import { createPathfindingClient, type PathfindingClient } from './pathfinding-client.ts';
import { createPayeeCheck, type PayeeCheck } from './payee-check.ts';
import { createRoutingFallback } from './routing-fallback.ts';

/** The finder in the parts, if there is one, else that of the settings' routing mode. */
export function chooseFinder(
  settings: NodeSettings,
  parts: NodeParts,
  { nowBlock, ...own }: { nowBlock: () => bigint } & OwnChannels,
): RouteFinder {
  if (parts.routes !== undefined) return parts.routes(own);
  switch (settings.routingMode) {
    case 'pfs':
      return servedRoutes(settings, parts, { nowBlock, ...own });
    case 'local':
      return createLocalRoutes({ settings, parts, ...own });
  }
}

function servedRoutes(
  settings: NodeSettings,
  parts: NodeParts,
  { nowBlock, ...own }: { nowBlock: () => bigint } & OwnChannels,
): RouteFinder {
  const { pathfindingServiceAddress: address, hasRoutingFallback } = settings;
  if (address === null) return noRoutes;
  const service = pathfindingClient(settings, parts, { service: address, nowBlock });
  if (!hasRoutingFallback) return service;
  const local = createLocalRoutes({ settings, parts, ...own });
  return createRoutingFallback({ service, local, elapsed: () => parts.clock.elapsed() });
}

function pathfindingClient(
  settings: NodeSettings,
  parts: NodeParts,
  { service, nowBlock }: { service: string; nowBlock: () => bigint },
): PathfindingClient {
  const { chainId, contracts } = settings;
  const { signer, recover, store, clock } = parts;
  const { tokenNetworkRegistryAddress: registry, oneToNAddress: oneToN } = contracts;
  const sign = (digest: Uint8Array) => signer.sign(digest);
  const facts = {
    own: signer.address,
    chainId,
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
  };
  const ious =
    oneToN === null
      ? null
      : createIous({ ...facts, oneToN, sign, recover, rows: store.iouSessions });
  const payees = payeesOf(settings, parts);
  return createPathfindingClient({ ...facts, service, registry, ious, payees, nowBlock });
}

/** Null: no service registry is known. */
function payeesOf({ contracts }: NodeSettings, { client, clock }: NodeParts): PayeeCheck | null {
  const { serviceRegistryAddress: address } = contracts;
  if (address === null) return null;
  return createPayeeCheck({
    isRegistered: (service) =>
      client.readContract({
        address,
        abi: serviceRegistryAbi,
        functionName: 'hasValidRegistration',
        args: [service],
      }),
    elapsed: () => clock.elapsed(),
  });
}
