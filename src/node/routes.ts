/** How ways through a token network are found: asked of a path-finding service, or on an own copy of it. */
import type { Result } from '../protocol/codes.ts';
import type { Address } from '../protocol/hex.ts';

/** `route`: the whole way, this node first and the target last; the fee is what its mediators take. */
export type FoundRoute = { route: readonly Address[]; estimatedFee: bigint };
export type RouteRequest = {
  token: Address;
  tokenNetwork: Address;
  target: Address;
  amount: bigint;
  maxRoutes: number;
};
export type RouteFinder = {
  /** Best first; empty: there is none. Failure: no_route with a detail that says what was wrong. */
  find(request: RouteRequest): Promise<Result<FoundRoute[]>>;
  /** How a route that `find` gave did. Never fails. */
  report(route: readonly Address[], isGood: boolean): void;
};

/** Finds none: only direct channels and routes that the caller gives are used. */
export const noRoutes: RouteFinder = {
  find: async () => ({ ok: true, value: [] }),
  report() {},
};
