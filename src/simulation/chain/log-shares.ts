/**
 * The logs of a range of blocks without those which concern other nodes alone: what happens to channels that two others
 * open in the same range. What happens to channels from before the range is everybody's, since nobody here knows whose
 * they are.
 */
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { Address } from '../../basics/hex.ts';

export function createShares(logs: readonly ChainLog[]) {
  const everybodys: number[] = [];
  const byNode = new Map<Address, number[]>();
  /** The two nodes of each channel that is opened in the range, by token network. */
  const opened = new Map<Address, Map<bigint, readonly [Address, Address]>>();

  function ownersOf(log: ChainLog): readonly Address[] | null {
    if (log.type === 'chain.channelOpened') {
      const owners = [log.participant1, log.participant2] as const;
      const known = opened.get(log.tokenNetwork) ?? new Map();
      opened.set(log.tokenNetwork, known.set(log.channelId, owners));
      return owners;
    }
    return 'channelId' in log ? (opened.get(log.tokenNetwork)?.get(log.channelId) ?? null) : null;
  }

  for (const [at, log] of logs.entries()) {
    const owners = ownersOf(log);
    // Nodes judge by the next log whether a block is whole, so each sees the last of each block.
    const isLast = logs[at + 1]?.at.block !== log.at.block;
    if (owners === null || isLast) everybodys.push(at);
    else
      for (const owner of owners) {
        const list = byNode.get(owner);
        if (list === undefined) byNode.set(owner, [at]);
        else list.push(at);
      }
  }

  return {
    /** Those which may concern this node, in their order. */
    of(node: Address): ChainLog[] {
      const places = [...everybodys, ...(byNode.get(node) ?? [])].sort((one, other) => one - other);
      return places.flatMap((at) => logs[at] ?? []);
    },
  };
}
