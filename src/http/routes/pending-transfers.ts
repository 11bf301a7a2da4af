/** Transfers that are on their way through this node. */

import type { Address } from '../../basics/hex.ts';
import type { NodeApi } from '../../node/api/api.ts';
import { answer, inSlices } from '../answers/responses.ts';
import type { RouteList } from '../description/described.ts';
import * as endpoints from '../endpoints/channels.ts';
import { pendingTransferObject } from '../shapes/serializers.ts';

type Parts = { node: NodeApi; routeList: RouteList };

export function pendingTransferRoutes({ node, routeList }: Parts): void {
  function pending(filter: { token: Address | null; partner: Address | null }) {
    return answer(node.pendingTransferSlices(filter), (slices) =>
      inSlices(slices, pendingTransferObject),
    );
  }

  routeList(endpoints.getPendingTransfers, () => () => pending({ token: null, partner: null }));
  routeList(endpoints.getPendingTransfersOfToken, ({ token }) => () => {
    return pending({ token, partner: null });
  });
  routeList(endpoints.getPendingTransfersOfChannel, ({ token, partner }) => () => {
    return pending({ token, partner });
  });
}
