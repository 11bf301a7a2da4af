/** The settings of a simulated node: what its scenario says, and else what a real node has. */
import type { NodeSettings } from '../../node/runtime/parts.ts';
import type { SimulatedChain } from '../chain/genesis.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { NodePlan } from '../scenario/topology.ts';

/** Tokens in each wallet after the set-up, in the token's smallest unit. */
export const WEALTH = 10n ** 24n;

type Around = {
  scenario: Scenario;
  chain: Pick<SimulatedChain, 'contracts' | 'deployBlock'>;
  chainId: number;
  reward: NodeSettings['monitoringReward'];
  /** The URL of its path-finding service; null: there is none. */
  pathFinding: string | null;
};

export function nodeSettings(machine: NodePlan, around: Around): NodeSettings {
  const { scenario, chain, chainId, reward, pathFinding } = around;
  return {
    version: '0.0.0',
    chainId: BigInt(chainId),
    contracts: chain.contracts,
    deployBlock: chain.deployBlock,
    confirmations: scenario.chain.confirmations,
    defaultSettleTimeout: machine.settleTimeout,
    defaultRevealTimeout: machine.revealTimeout,
    minRevealTimeout: 1n,
    isProduction: false,
    pathfindingServiceAddress: pathFinding,
    routingMode: scenario.services.pathFinding.kind === 'local' ? 'local' : 'pfs',
    // No fallback, as the service is what is to be measured.
    hasRoutingFallback: false,
    fees: { byToken: new Map(), others: machine.fees },
    monitoringReward: reward,
    keepHistoryMs: machine.keepHistoryMs,
    bounds: machine.bounds,
    releaseFeed: null,
    pollIntervalMs: scenario.chain.blockTime * 1000,
    depositLimits: { participantLimit: WEALTH, networkLimit: WEALTH * WEALTH },
  };
}
