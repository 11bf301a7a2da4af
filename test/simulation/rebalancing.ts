/** A module of strategies, as a program gives it by its path: nodes fill empty channels from full ones. */
import type { OwnNode, Strategy } from '../../src/simulation/run/strategies/strategy.ts';

const shareOf = ({ own, capacity }: { own: bigint; capacity: bigint }) =>
  Number((own * 1_000n) / capacity) / 1_000;

async function rebalance(node: OwnNode): Promise<void> {
  const channels = node.channels().toSorted((a, b) => shareOf(b) - shareOf(a));
  const [fullest, emptiest] = [channels.at(0), channels.at(-1)];
  if (fullest === undefined || emptiest === undefined) return;
  if (shareOf(fullest) - shareOf(emptiest) < 0.4) return;
  const path = node.way(fullest.partner, emptiest.partner, [node.index]);
  if (path !== null) await node.rebalance({ path, amount: fullest.capacity / 5n });
}

const strategies: readonly Strategy[] = [
  { name: 'rebalancing', nodes: '0', start: (node) => ({ onBlock: () => rebalance(node) }) },
];
export default strategies;
