/** The client that the node's chain code works with, over a simulated endpoint. */
import { custom, type Transport } from 'viem';
import { type ChainClient, clientOver } from '../../chain/client.ts';
import type { Endpoint } from './endpoint.ts';

/** Builds the client as `connectChain` does, but without the check that the chain id stays the same. */
export function connectEndpoint(
  { request }: Pick<Endpoint, 'request'>,
  chainId: number,
): ChainClient {
  const transport = withoutSharing(custom({ request }, { retryCount: 0 }));
  return clientOver(chainId, { plain: transport, bulk: transport });
}

/**
 * viem answers a call with the promise of an equal one that is under way. It finds that by an identifier which it drew
 * for the transport, in a cache of the whole process. Identifiers repeat in worlds with the same seed, and a call of a
 * node that died is under way for ever: a node of a later world would wait for its answer.
 */
function withoutSharing(transport: Transport): Transport {
  return (options) => {
    const made = transport(options);
    const request: typeof made.request = (call, how) =>
      made.request(call, { ...how, dedupe: false });
    return { ...made, request };
  };
}
