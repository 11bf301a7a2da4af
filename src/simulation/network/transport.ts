/** The transport of one process on the simulated network. */

import type { Address } from '../../basics/hex.ts';
import { MAX_PAYLOAD_BYTES, type Transport } from '../../partner/transport.ts';
import { isPublicKeyOf } from '../../protocol/public-key.ts';
import type { Delivery } from './delivery.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import type { Presence } from './presence.ts';

type Parts = { endpoints: Endpoints; presence: Presence } & Pick<Delivery, 'send' | 'sendAbroad'>;

export function createTransport(own: Endpoint, parts: Parts): Transport {
  const { endpoints, presence, send, sendAbroad } = parts;
  const canSend = (payload: Uint8Array) => own.isConnected && payload.length <= MAX_PAYLOAD_BYTES;

  return {
    publish(to: Address, payload) {
      if (!canSend(payload)) return;
      // `slice` of a Buffer shares its bytes, which the sender may use again.
      send(own, { from: own.address, to, topic: null, payload: Buffer.from(payload) });
    },
    onMessage(handler, publicKey) {
      if (own.receive !== null) throw new Error('there is one message handler');
      own.receive = handler;
      own.publicKey = publicKey;
      own.isProven = isPublicKeyOf(publicKey, own.address);
      presence.note(own.address, publicKey);
    },
    broadcast(topic, payload) {
      if (!canSend(payload)) return;
      const copy = Buffer.from(payload);
      const others = new Set(endpoints.of(topic).map(({ address }) => address));
      others.delete(own.address);
      for (const to of others) send(own, { from: own.address, to, topic, payload: copy });
      sendAbroad(own, { from: own.address, to: own.address, topic, payload: copy });
    },
    onBroadcast(topic, handler) {
      if (own.topics.has(topic)) throw new Error('there is one handler for each topic');
      own.topics.set(topic, handler);
      endpoints.attend(own, topic);
    },
    presence: (address) => presence.ask(own, address),
    onStatus: (handler) => void own.statusHandlers.push(handler),
    isConnected: () => own.isConnected,
    findRival: () => presence.findRival(own),
    async close() {
      if (!endpoints.remove(own)) return;
      for (const handler of own.statusHandlers) handler('disconnected');
    },
  };
}
