/** The gates of a devnet's nodes, if the broker behind them belongs to it. */
import { type Cleanup, createCleanup } from '../../host/cleanup.ts';
import type { JoinedBroker } from '../../partner/join.ts';
import type { Messaging } from './foundations.ts';
import { type Gate, openGate } from './gate.ts';

export type Gates = {
  /** By the nodes' names; empty: no node can be cut off. */
  byName: ReadonlyMap<string, Gate>;
  /** Opens a gate for one more node, unless no node has one. */
  open(name: string): Promise<void>;
  /** How the node of that name reaches the broker. */
  brokerOf(name: string): JoinedBroker;
};

type Request = { names: readonly string[]; isWanted: boolean; held: Cleanup };

export async function openGates(
  { broker, isOwn }: Messaging,
  { names, isWanted, held }: Request,
): Promise<Gates> {
  const byName = new Map<string, Gate>();
  // All of them end together after the nodes, also those that are opened later: a node says farewell through its gate.
  const ends = createCleanup(() => {}, 'together');
  await held.add(ends.end);

  async function open(name: string): Promise<void> {
    if (!isWanted || !isOwn || 'bus' in broker) return;
    const gate = await openGate(broker.nats);
    await ends.add(gate.close);
    byName.set(name, gate);
  }
  for (const name of names) await open(name);
  return {
    byName,
    open,
    brokerOf(name) {
      const gate = byName.get(name);
      return gate === undefined ? broker : { nats: gate.url };
    },
  };
}
