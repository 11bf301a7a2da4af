/** The client that the node's chain code works with, over a simulated endpoint. */
import {
  custom,
  InternalRpcError,
  InvalidInputRpcError,
  InvalidParamsRpcError,
  LimitExceededRpcError,
  MethodNotFoundRpcError,
  RpcRequestError,
  type Transport,
} from 'viem';
import { type ChainClient, clientOver } from '../../chain/client.ts';
import type { Endpoint } from './endpoint.ts';
import type { RpcRequest } from './rpc.ts';

/** Builds the client as `connectChain` does, but without the check that the chain id stays the same. */
export function connectEndpoint(
  { request }: Pick<Endpoint, 'request'>,
  chainId: number,
): ChainClient {
  const transport = directly(request);
  return clientOver(chainId, { plain: transport, bulk: transport });
}

/**
 * A transport that asks the endpoint at once. What viem has around each call is for endpoints elsewhere, and takes longer
 * here than the answer: sharing with equal calls that are under way, and repetition. Sharing would be wrong, too: viem
 * finds an equal call by an identifier which it drew for the transport, in a cache of the whole process. Identifiers
 * repeat in worlds with the same seed, and a call of a node that died is under way for ever: a node of a later world
 * would wait for its answer.
 */
function directly(request: Endpoint['request']): Transport {
  // Each of these returns what the next one promises: an answer takes as many turns as by viem, so that what follows
  // from two answers of one moment happens in the same order in each seed as it always did.
  const answered = async (call: RpcRequest) => await request(call);
  const named = async (call: RpcRequest) => {
    try {
      return await answered(call);
    } catch (error) {
      throw errorOf(error, call);
    }
  };
  const outer = custom({ request: async (call: RpcRequest) => named(call) });
  return (options) => {
    const made = outer(options);
    return { ...made, request: made.config.request };
  };
}

/** The error that viem makes of an endpoint's, by its code. */
function errorOf(error: unknown, { method }: RpcRequest): unknown {
  if (!(error instanceof RpcRequestError)) return error;
  switch (error.code) {
    case InvalidInputRpcError.code:
      return new InvalidInputRpcError(error);
    case LimitExceededRpcError.code:
      return new LimitExceededRpcError(error);
    case MethodNotFoundRpcError.code:
      return new MethodNotFoundRpcError(error, { method });
    case InvalidParamsRpcError.code:
      return new InvalidParamsRpcError(error);
    case InternalRpcError.code:
      return new InternalRpcError(error);
    default:
      return error;
  }
}
