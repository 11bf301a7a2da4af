/** The dishonest nodes of a run: an attack's program has the key of each. */

import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address, Hex } from '../../basics/hex.ts';
import type { Transport } from '../../partner/transport.ts';
import { createInterceptor, type Interceptor } from '../byzantine/interceptor.ts';
import { planOf } from '../byzantine/plans.ts';
import type { Overheard, Power, Program } from '../byzantine/program.ts';
import type { Network } from '../network/network.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { AttackPlan, NetworkPlan } from '../scenario/topology.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { createPurse, type Purse } from './purse.ts';
import type { Wiretaps } from './rules/wiretaps.ts';
import { createStrangers } from './strangers.ts';
import type { World } from './world.ts';

type Options = {
  scenario: Scenario;
  plan: NetworkPlan;
  world: World;
  randomness: Randomness;
  scheduler: Pick<Scheduler, 'after'>;
  wiretaps: Pick<Wiretaps, 'of' | 'with'>;
  connect: Network['connect'];
  /** The present block as the scenario counts. */
  block(): number;
  note(who: string, text: string): void;
};
type Attack = Omit<AttackPlan, 'plan'> & { plan: string };
export type Attackers = ReturnType<typeof createAttackers>;

const SILENT: Attack = { group: 'silent', plan: 'silent', fromBlock: 0n, victims: [], moves: [] };

export function createAttackers(options: Options) {
  const { scenario, plan, world, scheduler, randomness, wiretaps, note } = options;
  const blockMs = scenario.chain.blockTime * 1_000;
  const interceptors = new Map<number, Interceptor>();
  const purses = new Map<number, Purse>();
  const programs: { program: Program; fromBlock: number }[] = [];
  const everybody = plan.nodes.map(({ index }) => world.addressOf(index));
  let isOver = false;
  /** The attack that has each key or account. */
  const cheats = new Map<Address, string>();
  const stranger = createStrangers({
    crypto: world.crypto,
    connect: options.connect,
    wiretapWith: wiretaps.with,
    onMade: (address, index) => own(index, address),
  });

  const byGroup = new Map<string, { indexes: number[]; attack: Attack }>();
  for (const { index, attacks, behaviour } of plan.nodes)
    for (const attack of behaviour === 'silent' ? [SILENT, ...attacks] : attacks) {
      const group = getOrMake(byGroup, attack.group, () => ({ indexes: [], attack }));
      group.indexes.push(index);
    }
  for (const [name, { indexes, attack }] of byGroup) {
    const powers = new Map<Address, Power>();
    const program = planOf(attack.plan, {
      name,
      powers,
      everybody,
      secretRegistry: world.chain.contracts.secretRegistryAddress,
      chainId: BigInt(world.chainId),
      victims: attack.victims.map(world.addressOf),
      moves: attack.moves,
      services: {
        monitoringService: world.chain.contracts.monitoringServiceAddress,
        serviceRegistry: world.chain.contracts.serviceRegistryAddress,
        serviceToken: world.chain.serviceToken,
      },
      token: world.token,
      junk: world.junk,
      channelId: world.chain.channelId,
      draw: randomness.of(`attack ${name}`),
      onMove: (text) => note(name, text),
    });
    programs.push({ program, fromBlock: Number(attack.fromBlock) });
    for (const index of indexes) arm(index, program, powers);
  }

  /** Notes that a key or account is that of the attacks which this node is in. */
  function own(index: number, address: Address) {
    const found = [...byGroup].filter(([, { indexes }]) => indexes.includes(index));
    cheats.set(address, found.map(([name]) => name).join(' + '));
  }

  function arm(index: number, program: Program, powers: Map<Address, Power>) {
    const wiretap = wiretaps.of(index);
    const inhabitant = world.inhabitants[index];
    if (wiretap === null || inhabitant === undefined) return;
    const { signer, machine } = inhabitant;
    const { address } = signer;
    const known = interceptors.get(index);
    const facts = { own: address, wiretap, program: guarded(program) };
    const interceptor = known ?? createInterceptor(facts);
    interceptors.set(index, interceptor);
    const purse = getOrMake(purses, index, () => createPurse(world, index));
    own(index, address);
    own(index, purse.address);
    powers.set(address, {
      own: address,
      draw: randomness.of(`attacker ${index}`),
      memory: interceptor.memory,
      head: () => world.chain.head().number,
      node: machine.node,
      sign: wiretap.sign,
      sign32: (digest): Hex => signer.sign(digest),
      say: interceptor.say,
      replay: interceptor.replay,
      sealText: wiretap.sealText,
      promises: wiretap.promises,
      call: purse.call,
      stranger: (number) => stranger(index, number),
      later: (share, work) => scheduler.after(share * blockMs, () => !isOver && work()),
      waiting: world.chain.pool.waiting,
    });
  }

  /**
   * The program, which attacks only from its block on, and until the faults of the run have ended; what it holds it holds on
   * to.
   */
  function guarded(program: Program): Program {
    const isActive = () => {
      const planned = programs.find((one) => one.program === program);
      return (
        (!isOver || program.isHolding === true) && options.block() >= (planned?.fromBlock ?? 0)
      );
    };
    return {
      name: program.name,
      outgoing: (from, group) =>
        isActive() && program.outgoing
          ? program.outgoing(from, group)
          : (program.calm?.(from, group) ?? [group]),
      incoming: (heard) => !isActive() || (program.incoming?.(heard) ?? true),
    };
  }

  return {
    /** The attack that has this key or account; null: none. */
    cheatOf: (address: Address): string | null => cheats.get(address) ?? null,
    around(index: number, transport: Transport): Transport {
      return interceptors.get(index)?.around(transport) ?? transport;
    },
    /** Programs that work with the broker see this payload. */
    overhear(parcel: Overheard) {
      for (const { program, fromBlock } of programs)
        if (!isOver && options.block() >= fromBlock) program.overhears?.(parcel);
    },
    block(block: number) {
      for (const { program, fromBlock } of programs)
        if (block >= fromBlock) program.block?.(world.chain.head().number);
    },
    end() {
      isOver = true;
    },
  };
}
