/** The options for mediation fees, for the worth of tokens, for finding routes, and for monitoring services. */
import type { NodeSettings } from '../../node/runtime/parts.ts';
import {
  DEFAULT_FEE_TERMS,
  DEFAULT_FLAT_FEES,
  type FeeTerms,
} from '../../protocol/fees/fee-terms.ts';
import type { Found } from './key.ts';
import * as settings from './node-settings.ts';
import type { Read } from './settings.ts';

export const MEDIATION_SETTINGS = [
  settings.ROUTING_MODE,
  settings.ROUTING_FALLBACK,
  settings.FLAT_FEE,
  settings.PROPORTIONAL_FEE,
  settings.PROPORTIONAL_IMBALANCE_FEE,
  settings.CAP_MEDIATION_FEES,
  settings.TOKEN_VALUE,
  settings.ENABLE_MONITORING,
  settings.MONITORING_REWARD,
];

type Choices = ReturnType<typeof mediationChoicesOf>;

export function mediationChoicesOf(read: Read) {
  const reward = read(settings.MONITORING_REWARD);
  return {
    givenRoutingMode: read(settings.ROUTING_MODE),
    hasRoutingFallback: read(settings.ROUTING_FALLBACK),
    flatFees: read(settings.FLAT_FEE),
    proportionalFees: read(settings.PROPORTIONAL_FEE),
    imbalanceFees: read(settings.PROPORTIONAL_IMBALANCE_FEE),
    capFees: read(settings.CAP_MEDIATION_FEES),
    tokenValues: read(settings.TOKEN_VALUE) ?? new Map(),
    monitoringReward: read(settings.ENABLE_MONITORING) ? reward : null,
  };
}

/** The fees of each token; a fee that was not given for a token has its default. */
export function feesOf(
  choices: Pick<Choices, 'flatFees' | 'proportionalFees' | 'imbalanceFees' | 'capFees'>,
): NodeSettings['fees'] {
  const { flatFees, proportionalFees, imbalanceFees, capFees } = choices;
  const others: FeeTerms = { ...DEFAULT_FEE_TERMS, capFees };
  const given = [DEFAULT_FLAT_FEES, flatFees, proportionalFees, imbalanceFees];
  const tokens = new Set(given.flatMap((byToken) => [...(byToken?.keys() ?? [])]));
  const byToken = [...tokens].map((token) => {
    const terms: FeeTerms = {
      flat: flatFees?.get(token) ?? DEFAULT_FLAT_FEES.get(token) ?? others.flat,
      proportional: proportionalFees?.get(token) ?? others.proportional,
      imbalance: imbalanceFees?.get(token) ?? others.imbalance,
      capFees,
    };
    return [token, terms] as const;
  });
  return { byToken: new Map(byToken), others };
}

/** The routing mode; by default `pfs` when there is a path-finding service. */
export function routingModeIn({
  givenRoutingMode: mode,
  pathfindingServiceAddress,
}: Pick<Choices, 'givenRoutingMode'> & { pathfindingServiceAddress: string | null }): Found<
  NodeSettings['routingMode']
> {
  const hasService = pathfindingServiceAddress !== null;
  if (mode === 'pfs' && !hasService)
    return { ok: false, message: '--routing-mode pfs needs --pathfinding-service-address' };
  return { ok: true, value: mode ?? (hasService ? 'pfs' : 'local') };
}
