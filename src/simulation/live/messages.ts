/** Counts the payloads between real nodes, by listening to their message broker. Their contents are sealed. */
import { connect } from 'nats';
import { subjectOf } from '../../partner/nats.ts';
import type { LiveNetwork } from './network.ts';

/** `onMessage` gets the index of the recipient. Resolves when it listens; the returned function ends it. */
export async function countMessages(
  { nats, chainId, tokenNetworkRegistry, nodes }: LiveNetwork,
  onMessage: (to: number) => void,
): Promise<() => Promise<void>> {
  const connection = await connect({ servers: nats });
  const place = { chainId: BigInt(chainId), tokenNetworkRegistry };
  for (const [index, { address }] of nodes.entries())
    connection.subscribe(subjectOf(place, address), {
      callback: (error) => {
        if (error === null) onMessage(index);
      },
    });
  await connection.flush();
  return () => connection.drain();
}
