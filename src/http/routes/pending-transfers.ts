/** Transfers that are on their way through this node. */
import type { NodeApi } from '../../node/api/api.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Route } from '../described.ts';
import * as endpoints from '../endpoints/channels.ts';
import { answer } from '../responses.ts';
import { pendingTransferObject } from '../serializers.ts';

export function pendingTransferRoutes({ node, route }: { node: NodeApi; route: Route }): void {
  function pending(filter: { token: Address | null; partner: Address | null }) {
    return answer(node.pendingTransfers(filter), (all) => all.map(pendingTransferObject));
  }

  route(endpoints.getPendingTransfers, () => () => pending({ token: null, partner: null }));
  route(endpoints.getPendingTransfersOfToken, ({ token }) => () => {
    return pending({ token, partner: null });
  });
  route(endpoints.getPendingTransfersOfChannel, ({ token, partner }) => () => {
    return pending({ token, partner });
  });
}
