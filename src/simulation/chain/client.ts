/** The client that the node's chain code works with, over a simulated endpoint. */
import { custom } from 'viem';
import { type ChainClient, clientOver } from '../../chain/client.ts';
import type { Endpoint } from './endpoint.ts';

/** As `connectChain` builds it, but nobody looks whether the chain id stays the same. */
export function connectEndpoint(endpoint: Endpoint, chainId: number): ChainClient {
  const transport = custom({ request: endpoint.request }, { retryCount: 0 });
  return clientOver(chainId, { plain: transport, bulk: transport });
}
