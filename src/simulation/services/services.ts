/** The services of a simulated world. */
import type { Address } from '../../basics/hex.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { Asker, Gateway } from './gateway.ts';
import { createMonitors } from './monitoring.ts';
import { type Surroundings, USER_DEPOSIT } from './office.ts';
import { createPathFinding, pathFindingHost } from './path-finding.ts';

type Options = Surroundings & {
  gateway: Gateway;
  nodes: readonly Address[];
  /** The token network's least settle timeout, in blocks. */
  shortestTimeout: bigint;
};

export function createServices({ pathFinding, monitoring }: Scenario['services'], around: Options) {
  const { chain, gateway, nodes, shortestTimeout } = around;
  const { count, lies } = pathFinding.kind === 'services' ? pathFinding : { count: 0, lies: null };
  const all = [
    createPathFinding({ around, gateway, count, lies, everybody: nodes }),
    createMonitors({ around, ...monitoring, shortestTimeout }),
  ];
  const isAnyPaid = count + monitoring.count > 0;

  return {
    /** The reward that nodes promise for monitoring; null: there are no monitoring services. */
    reward: monitoring.count === 0 ? null : monitoring.reward,
    /** The services are shared out among the nodes; null: nodes find routes without one. */
    pathFindingUrl: (index: number, asker: Asker) =>
      count === 0 ? null : gateway.urlFor(pathFindingHost(index % count), asker),
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
