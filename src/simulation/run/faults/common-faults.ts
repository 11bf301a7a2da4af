/** The faults that strike all nodes at once: of the broker, the services and the chain. */
import type { Chain, Fate } from '../../chain/chain.ts';
import type { Faults as NetworkFaults } from '../../network/faults.ts';
import { type Selectable, select } from '../../scenario/schema/selection.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';
import type { Draw } from '../../world/randomness.ts';
import type { World } from '../world.ts';
import { during, type Undo } from './fault-schedule.ts';
import type { OfNode } from './node-faults.ts';

type OfAll = Exclude<Fault, OfNode>;
export type CommonFaultOptions = {
  world: Pick<World, 'chain' | 'addressOf' | 'gateway'>;
  network: NetworkFaults;
  nodes: readonly Selectable[];
};

/** Begins the fault; the returned function ends it. */
export function strikeAll(
  { world, network, nodes }: CommonFaultOptions,
  fault: OfAll,
  name: string,
  draw: Draw,
): Undo {
  const { chain } = world;
  switch (fault.kind) {
    case 'partition': {
      const groups = fault.groups.map((group) =>
        select(group, nodes, draw).map(({ index }) => world.addressOf(index)),
      );
      return network.begin(name, { kind: 'partition', groups });
    }
    case 'broker_down':
      return network.begin(name, { kind: 'down' });
    case 'path_finding_down':
      return during(world.gateway.faults, 'isDown', true, false);
    case 'hostile_broker': {
      const ends = [
        network.begin(`${name} replay`, { kind: 'replay', probability: 0.2 }),
        network.begin(`${name} flip`, { kind: 'flip', probability: 0.05 }),
        network.begin(`${name} misdeliver`, { kind: 'misdeliver', probability: 0.05 }),
        network.begin(`${name} presence`, { kind: 'forgePresence', probability: 0.2 }),
      ];
      return () => {
        for (const end of ends) end();
      };
    }
    case 'reorganisation':
      replaceBlocks(chain, Number(fault.depth), 'again');
      return () => {};
    case 'hostile_token': {
      const { burns } = fault;
      const { world: state } = chain.machine;
      state.whim = burns === null ? { kind: 'fails' } : { kind: 'burns', gas: burns };
      return () => {
        state.whim = { kind: 'none' };
      };
    }
    case 'full_blocks': {
      const gas = (chain.head().gasLimit * BigInt(Math.round(fault.share * 1000))) / 1000n;
      const { others } = chain.weather();
      chain.setWeather({ others: { gas, tip: 2n * 10n ** 9n } });
      return () => chain.setWeather({ others });
    }
    case 'price_spike': {
      const { leastTip, usualTip } = chain.weather();
      const tip = BigInt(Math.round(fault.factor * 1e9));
      chain.setWeather({ leastTip: tip, usualTip: tip });
      return () => chain.setWeather({ leastTip, usualTip });
    }
  }
}

/** Replaces the last `depth` blocks, or as many as there are. */
export function replaceBlocks(
  chain: Pick<Chain, 'reorganise' | 'head'> & { deployBlock: bigint },
  depth: number,
  keep: Fate,
) {
  chain.reorganise(Math.min(depth, Number(chain.head().number - chain.deployBlock)), { keep });
}
