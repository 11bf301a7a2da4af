/** Finds routes through a token network, from a path-finding service or on an own copy of the network. */
import type { ChainLog } from '../../../../machines/events/chain.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Result } from '../../../protocol/codes.ts';

/** `route`: the whole route, this node first and the target last; the fee is what its mediators take. */
export type FoundRoute = { route: readonly Address[]; estimatedFee: bigint };
export type RouteRequest = {
  token: Address;
  tokenNetwork: Address;
  target: Address;
  amount: bigint;
  maxRoutes: number;
};
export type RouteFinder = {
  /** The routes, best first; empty when there is none. Failure: no_route with a detail that says what was wrong. */
  find(request: RouteRequest): Promise<Result<FoundRoute[]>>;
  /** Reports whether a route that `find` gave worked. Never fails. */
  report(route: readonly Address[], isGood: boolean): void;
  /** Present when the finder asks a service. */
  asked?: {
    /** What is wrong with the service, as text for the operator; null when nothing is known to be wrong. */
    trouble(): string | null;
    /** Asks the service whether it works. Never fails. */
    look(): Promise<void>;
  };
  /** Present when the finder searches an own copy of the network: what it has to be told for that. */
  follows?: {
    /** Called when the node starts, with the token networks that existed after the block. */
    begin(tokenNetworks: readonly Address[], lastBlock: bigint): void;
    /** Called with the logs of the blocks after that, in order, each once. */
    confirmed(logs: readonly ChainLog[]): void;
    /** Called with the actors that a commit has written. */
    changed(ids: ReadonlySet<string>): void;
    /** Called when the node may send from now on, or again after a pause. */
    speaking(): void;
    end(): void;
  };
};

/** Finds no routes: only direct channels and routes that the caller gives are used. */
export const noRoutes: RouteFinder = {
  find: async () => ({ ok: true, value: [] }),
  report() {},
};
