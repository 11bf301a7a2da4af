/** How routes through a token network are found: asked of a path-finding service, or on an own copy of it. */
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { Result } from '../../protocol/codes.ts';
import type { Address } from '../../protocol/hex.ts';

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
  /** Best first; empty: there is none. Failure: no_route with a detail that says what was wrong. */
  find(request: RouteRequest): Promise<Result<FoundRoute[]>>;
  /** How a route that `find` gave did. Never fails. */
  report(route: readonly Address[], isGood: boolean): void;
  /** Of a finder that asks somebody. */
  asked?: {
    /** What is wrong with whom it asks, for the operator; null: nothing that is known. */
    trouble(): string | null;
    /** Asks whether something is. Never fails. */
    look(): Promise<void>;
  };
  /** What a finder must be told that looks for itself. */
  hears?: {
    /** The node starts, with these token networks as they were after the block. */
    begin(tokenNetworks: readonly Address[], lastBlock: bigint): void;
    /** Logs of the blocks after that, in order, each once. */
    confirmed(logs: readonly ChainLog[]): void;
    /** These actors were written. */
    changed(ids: ReadonlySet<string>): void;
    /** The node can be heard from now on, or again. */
    speaking(): void;
    end(): void;
  };
};

/** Finds none: only direct channels and routes that the caller gives are used. */
export const noRoutes: RouteFinder = {
  find: async () => ({ ok: true, value: [] }),
  report() {},
};
