/** The services of a simulated world. */
import type { Address } from '../../basics/hex.ts';
import type { Lie, Scenario } from '../scenario/schema/schema.ts';
import type { Gateway } from './gateway.ts';
import { createMonitors } from './monitoring.ts';
import { type Surroundings, USER_DEPOSIT } from './office.ts';
import { createPathFinding } from './path-finding.ts';

export type ServicesPlan = {
  /** `count` 0: nodes find routes without a service. */
  pathFinding: { count: number; lies: Lie | null };
  /** `reward`: in the smallest unit of the service token. */
  monitoring: { count: number; lazy: number; reward: bigint };
};
type Options = Surroundings & {
  gateway: Gateway;
  nodes: readonly Address[];
  /** The token network's least settle timeout, in blocks. */
  shortestTimeout: bigint;
};

export function servicesPlan({ pathFinding, monitoring }: Scenario['services']): ServicesPlan {
  const { kind } = pathFinding;
  const { count, lies } = kind === 'services' ? pathFinding : { count: 0, lies: null };
  return { pathFinding: { count, lies }, monitoring };
}

export function createServices({ pathFinding, monitoring }: ServicesPlan, around: Options) {
  const { chain, gateway, nodes, shortestTimeout } = around;
  const all = [
    createPathFinding({ around, gateway, ...pathFinding, everybody: nodes }),
    createMonitors({ around, ...monitoring, shortestTimeout }),
  ];
  const isAnyPaid = pathFinding.count + monitoring.count > 0;

  return {
    /** The reward that nodes promise for monitoring; null: there are no monitoring services. */
    reward: monitoring.count === 0 ? null : monitoring.reward,
    /** Gives services and their customers money, with the next block. */
    setUp() {
      for (const one of all) one.setUp();
      if (isAnyPaid) for (const node of nodes) chain.fillUserDeposit(node, USER_DEPOSIT);
    },
    start() {
      for (const one of all) one.start();
    },
    isReady: () => all.every((one) => one.isReady()),
    end() {
      for (const one of all) one.end();
    },
  };
}
