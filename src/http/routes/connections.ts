/** Connections: which token networks the node takes part in, joining one, leaving one. */

import { MAX_UINT256 } from '../../basics/amount.ts';
import { ZERO_ADDRESS } from '../../basics/hex.ts';
import type { NodeApi } from '../../node/api/api.ts';
import { answer, failure, good } from '../answers/responses.ts';
import { callOf } from '../checks/call.ts';
import type { MountRoute } from '../description/described.ts';
import * as endpoints from '../endpoints/deposits.ts';
import { channelObject, connectionsObject } from '../shapes/serializers.ts';

export function connectionRoutes({ node, route }: { node: NodeApi; route: MountRoute }): void {
  route(endpoints.getConnections, () => () => good(connectionsObject(node.connections())));

  route(endpoints.joinNetwork, ({ token, body: { funds } }, c) => {
    if (token === ZERO_ADDRESS) return failure('token_not_registered');
    if (funds <= 0n || funds > MAX_UINT256) {
      return failure('invalid_amount', 'funds must be from 1 to 2^256 - 1.');
    }
    return async () =>
      answer(await node.join(token, funds, callOf(c)), (opened) => opened.map(channelObject));
  });

  route(endpoints.leaveNetwork, ({ token }, c) => async () => {
    return answer(await node.leave(token, callOf(c)), (left) => left.map(channelObject));
  });
}
