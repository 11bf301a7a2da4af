/** What follows from the options for mediation fees and for finding routes. */
import type { NodeSettings } from '../../node/runtime/parts.ts';
import {
  DEFAULT_FEE_TERMS,
  DEFAULT_FLAT_FEES,
  type FeeTerms,
} from '../../protocol/fees/fee-terms.ts';
import { type Found, found, wrong } from '../process/found.ts';
import type { NodeOptions } from './node-options.ts';
import type { Nothing } from './settings.ts';

/** The fees of each token; a fee that was not given for a token has its default. */
export function feesOf({
  flat,
  proportional,
  imbalance,
  capFees,
  ...left
}: NodeOptions['fees']): NodeSettings['fees'] {
  left satisfies Nothing;
  const others: FeeTerms = { ...DEFAULT_FEE_TERMS, capFees };
  const given = [DEFAULT_FLAT_FEES, flat, proportional, imbalance];
  const tokens = new Set(given.flatMap((byToken) => [...byToken.keys()]));
  const byToken = [...tokens].map((token) => {
    const terms: FeeTerms = {
      flat: flat.get(token) ?? DEFAULT_FLAT_FEES.get(token) ?? others.flat,
      proportional: proportional.get(token) ?? others.proportional,
      imbalance: imbalance.get(token) ?? others.imbalance,
      capFees,
    };
    return [token, terms] as const;
  });
  return { byToken: new Map(byToken), others };
}

/** The routing mode; by default `pfs` when there is a path-finding service. */
export function routingModeIn({
  routingMode: mode,
  pathfindingServiceAddress,
}: Pick<NodeOptions, 'routingMode' | 'pathfindingServiceAddress'>): Found<
  NodeSettings['routingMode']
> {
  const hasService = pathfindingServiceAddress !== null;
  if (mode === 'pfs' && !hasService)
    return wrong('--routing-mode pfs needs --pathfinding-service-address');
  return found(mode ?? (hasService ? 'pfs' : 'local'));
}
