/** What the rules of a run are told: the network as it is, by the names of its nodes. */
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Facts, Honest } from '../../invariants/oracle.ts';
import type { NodePlan } from '../../scenario/topology.ts';
import type { Quiet } from '../faults/quiet.ts';
import type { Trust } from '../faults/trust.ts';
import { callName } from '../figures/call-names.ts';
import type { World } from '../world.ts';

type Options = {
  world: World;
  nodes: readonly NodePlan[];
  confirmations: bigint;
  /** The index of the node with this address; null: none of this run. */
  indexOf(address: Address): number | null;
  trust: Trust;
  /** Whether something has kept the node from its work since this block. */
  isExcused(index: number, sinceBlock: bigint): boolean;
  quiet: Quiet;
  cheatOf: Facts['cheatOf'];
};

export function createFacts({ world, nodes, indexOf, trust, quiet, ...options }: Options): Facts {
  const { chain, tokenNetwork } = world;
  const indexes = new Map(nodes.map(({ name, index }) => [name, index]));
  const indexNamed = (who: string) => indexes.get(who) ?? -1;

  function honest(address: Address): Honest | null {
    const index = indexOf(address);
    const inhabitant = index === null ? undefined : world.inhabitants[index];
    if (index === null || inhabitant === undefined || !trust.isWhole(index)) return null;
    const { machine, endpoint, disk } = inhabitant;
    const { isUnreachable, lagBlocks, frozenBlock, missingLogs } = endpoint.faults;
    const isLate = lagBlocks > 0n || frozenBlock !== null;
    const isBlind = isUnreachable || isLate || missingLogs !== null;
    const isPoor = chain.wei(address) === 0n;
    const isFit = machine.node() !== null && !isBlind && !isPoor && !disk.faults.full;
    return { name: machine.name, address, isFit, revealTimeout: nodes[index]?.revealTimeout ?? 0n };
  }

  function settleTimeoutOf(channel: string): bigint | null {
    const facts = chain.channelOf(channel);
    return facts?.state === 'opened' ? facts.settle : null;
  }

  return {
    confirmations: options.confirmations,
    chainId: BigInt(world.chainId),
    tokenNetwork,
    registry: chain.contracts.secretRegistryAddress,
    firstBlock: chain.firstBlock,
    head: () => chain.head().number,
    blockHash: (number): Hash | null => chain.block(number)?.hash ?? null,
    secretBlock: chain.secretBlock,
    wei: chain.wei,
    usualTip: () => chain.weather().usualTip,
    channelLogs: (number) =>
      (chain.block(number)?.logs ?? []).flatMap(({ address, encoded }) => {
        const [, id] = encoded.topics;
        return address === tokenNetwork && id !== undefined ? [BigInt(id)] : [];
      }),
    channel: (id) => chain.channel(tokenNetwork, id),
    channelOf: chain.channelOf,
    settleTimeoutOf,
    isOpen: (channel) => settleTimeoutOf(channel) !== null,
    quietSince: quiet.since,
    undisturbedSince: quiet.undisturbedSince,
    nameOf: ({ data }) => callName(data),
    cheatOf: options.cheatOf,
    boundsOf: (who) => nodes[indexNamed(who)]?.bounds ?? {},
    machines: () => nodes.flatMap(({ index }) => honest(world.addressOf(index)) ?? []),
    machine(name) {
      const index = indexes.get(name);
      return index === undefined ? null : honest(world.addressOf(index));
    },
    honest,
    isWhole: (who) => trust.isWhole(indexNamed(who)),
    isExcused: (who, since) => options.isExcused(indexNamed(who), since),
    revealTimeoutOf: (who) => nodes[indexNamed(who)]?.revealTimeout ?? 0n,
  };
}
