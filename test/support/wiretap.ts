/** Listens to everything that nodes say to each other, as anybody on the broker can. */
import { connect } from 'nats';
import { decodeBatch } from '../../src/protocol/message-codec.ts';

export type Wiretap = Awaited<ReturnType<typeof tapWire>>;

/** Hears what is published from now on, until `stop`. */
export async function tapWire(url: string) {
  const connection = await connect({
    servers: url,
    reconnectTimeWait: 50,
    maxReconnectAttempts: -1,
  });
  /** Signatures by recipient, channel and nonce. */
  const proofs = new Map<string, Set<string>>();
  // Not `sluice.>`: a node would take the tap on its presence for somebody who is slow to answer.
  connection.subscribe('sluice.*.*.*', {
    callback(_, { subject, data }) {
      for (const { message, signature } of decodeBatch(data).messages) {
        if (!('nonce' in message)) continue;
        const place = `${subject} ${message.tokenNetwork} ${message.channelId} ${message.nonce}`;
        proofs.set(place, (proofs.get(place) ?? new Set()).add(signature));
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
