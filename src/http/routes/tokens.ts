/** Tokens: registered ones, their networks, and with whom there are channels. */
import type { NodeApi } from '../../node/api.ts';
import { answer, failure, ok, refuse } from '../answers.ts';
import { noAddress, type Route, tokenAddress } from '../calls.ts';

/** `base` begins the links to channels. */
export function tokenRoutes(parts: { node: NodeApi; route: Route; base: string }): void {
  const { node, route, base } = parts;

  route({
    path: '/tokens',
    addresses: noAddress,
    methods: { GET: () => () => ok(node.tokens()) },
  });

  route({
    path: '/tokens/:token',
    addresses: tokenAddress,
    methods: {
      GET: (_, { token }) => {
        return () => {
          const network = node.tokenNetworkOf(token);
          return network === null ? refuse(failure('unknown_token')) : ok(network);
        };
      },
      PUT: (_, { token }) => {
        return async () =>
          answer(
            await node.registerToken(token),
            (network) => ({ token_network_address: network }),
            201,
          );
      },
    },
  });

  route({
    path: '/tokens/:token/partners',
    addresses: tokenAddress,
    methods: {
      GET: (_, { token }) => {
        return () => {
          if (node.tokenNetworkOf(token) === null) return refuse(failure('unknown_token'));
          const links = node.channels({ token }).map(({ partner }) => ({
            partner_address: partner,
            channel: `${base}/channels/${token}/${partner}`,
          }));
          return ok(links);
        };
      },
    },
  });
}
