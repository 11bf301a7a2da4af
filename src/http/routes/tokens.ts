/** Tokens: the registered ones, their networks, the partners of their channels, and minting for tests. */

import type { NodeApi } from '../../node/api/api.ts';
import { answer, failure, good } from '../answers/responses.ts';
import { callOf } from '../checks/call.ts';
import type { MountRoute } from '../description/described.ts';
import { BASE } from '../endpoints/endpoint.ts';
import * as endpoints from '../endpoints/tokens.ts';
import { transactionObject } from '../shapes/serializers.ts';

export function tokenRoutes({ node, route }: { node: NodeApi; route: MountRoute }): void {
  route(endpoints.getTokens, () => () => good(node.tokens()));

  route(endpoints.getTokenNetwork, ({ token }) => () => {
    const network = node.tokenNetworkOf(token);
    return network === null ? failure('unknown_token') : good(network);
  });

  route(endpoints.registerToken, ({ token }, c) => async () => {
    return answer(await node.registerToken(token, callOf(c)), (network) => ({
      token_network_address: network,
    }));
  });

  route(endpoints.getPartners, ({ token }) => () => {
    if (node.tokenNetworkOf(token) === null) return failure('unknown_token');
    const links = node.channels({ token }).map(({ partner }) => ({
      partner_address: partner,
      channel: `${BASE}/channels/${token}/${partner}`,
    }));
    return good(links);
  });

  route(endpoints.mint, ({ token, body: { to, value } }, c) => async () => {
    return answer(await node.mint(token, to, value, callOf(c)), transactionObject);
  });
}
