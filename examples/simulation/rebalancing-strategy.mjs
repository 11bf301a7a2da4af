/**
 * A strategy of nodes: whose channels have become one-sided moves money from the fullest to the emptiest, by a payment to
 * itself, when the two differ by more than `LEAST`. Each thread imports this module by itself.
 */

/** Of a channel's capacity. */
const LEAST = 0.4;
/** The most that those between may take, of what is moved. */
const MOST_FEE = 0.005;

const shareOf = ({ own, capacity }) => Number(own) / Number(capacity);

/** The order to move half of the difference, so that both channels are equally full; null: it is not worth while. */
function orderOf(node) {
  const channels = node.channels().toSorted((a, b) => shareOf(b) - shareOf(a));
  const [full, empty] = [channels.at(0), channels.at(-1)];
  if (full === undefined || shareOf(full) - shareOf(empty) < LEAST) return null;
  const path = node.way(full.partner, empty.partner, [node.index]);
  const least = full.capacity < empty.capacity ? full.capacity : empty.capacity;
  const amount = BigInt(Math.floor(((shareOf(full) - shareOf(empty)) / 2) * Number(least)));
  return path && { path, amount, fee: BigInt(Math.floor(Number(amount) * MOST_FEE)) };
}

export default [
  {
    name: 'rebalancing',
    nodes: 'all',
    start: (node) => ({
      async onBlock(block) {
        // Not all at once: two who move money against each other both pay for nothing.
        if (block % 10 !== node.index % 10) return;
        const order = orderOf(node);
        if (order !== null) await node.rebalance(order);
      },
    }),
  },
];
