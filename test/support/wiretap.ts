/** Listens to everything that nodes say to each other, as somebody on the broker can who has all their keys. */
import { connect } from 'nats';
import { parseAddress } from '../../src/basics/hex.ts';
import { encodeMessage } from '../../src/protocol/messages/message-codec.ts';
import type { World } from './processes.ts';

export type Wiretap = Awaited<ReturnType<typeof tapWire>>;

/** Hears what is published from now on, until `stop`. */
export async function tapWire({ natsUrl, read }: Pick<World, 'natsUrl' | 'read'>) {
  const connection = await connect({
    servers: natsUrl.split(',').map((url) => url.replace('nats://', '')),
    reconnectTimeWait: 50,
    maxReconnectAttempts: -1,
  });
  /** What was said, by recipient, channel and nonce. */
  const proofs = new Map<string, Set<string>>();
  // Not `sluice.>`: a node would take the tap on its presence for somebody who is slow to answer.
  connection.subscribe('sluice.*.*.*', {
    callback(_, { subject, data }) {
      const to = parseAddress(subject.split('.').at(-1));
      for (const sent of to === null ? [] : read(to, data)) {
        const { message, signature } = sent;
        if (!('nonce' in message)) continue;
        const place = `${subject} ${message.tokenNetwork} ${message.channelId} ${message.nonce}`;
        proofs.set(place, (proofs.get(place) ?? new Set()).add(signature ?? encodeMessage(sent)));
      }
    },
  });
  await connection.flush();
  return {
    /** How many places of a balance proof (recipient, channel, nonce) were signed for. */
    heard: () => proofs.size,
    /** Places for which different messages were signed: whoever holds both can take money. */
    conflicts: () => [...proofs].filter(([, signatures]) => signatures.size > 1).map(([at]) => at),
    stop: () => connection.close(),
  };
}
