/** Opens the channels of a scenario between real nodes, as their owners would. */
import type { ChannelPlan } from '../scenario/topology.ts';
import type { Calls } from './calls.ts';
import type { LiveNode } from './network.ts';

const LOOK_MS = 200;
const PATIENCE_LOOKS = 600;

/** Resolves when each depositing node shows its deposits as confirmed. Rejects with a node's error. */
export async function openChannels(
  plans: readonly ChannelPlan[],
  nodes: readonly LiveNode[],
  calls: Calls,
  isStopped: () => boolean,
): Promise<void> {
  // Each node opens its channels one after the other, like an owner with one wallet.
  await Promise.all(
    nodes.map(async (_, index) => {
      const own = plans.filter(({ a }) => a === index);
      for (const plan of own) if (!isStopped()) await openOne(plan, nodes, calls);
    }),
  );
}

async function openOne(plan: ChannelPlan, nodes: readonly LiveNode[], calls: Calls): Promise<void> {
  const [a, b] = [nodes[plan.a], nodes[plan.b]];
  if (a === undefined || b === undefined) throw new Error('live: a channel without its nodes');
  const { depositA, depositB, settleTimeout } = plan;
  must(await calls.open(a, b, depositA, settleTimeout), a, b);
  await until(async () => (await channelOf(b, a, calls)) !== null, b, a);
  if (depositB > 0n) must(await calls.deposit(b, a, depositB), b, a);
}

async function channelOf(node: LiveNode, partner: LiveNode, calls: Calls) {
  const all = await calls.channels(node);
  return all?.find((channel) => channel.partner_address === partner.address) ?? null;
}

function must(problem: string | null, { name }: LiveNode, partner: LiveNode) {
  if (problem !== null)
    throw new Error(`${name} cannot open its channel with ${partner.name}: ${problem}`);
}

async function until(condition: () => Promise<boolean>, node: LiveNode, partner: LiveNode) {
  for (let left = PATIENCE_LOOKS; left > 0; left--) {
    if (await condition()) return;
    await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`${node.name} does not see its channel with ${partner.name}`);
}
