/** The network inside one process: for one-process networks, simulation and tests. */
import type { Address } from '../basics/hex.ts';
import { isPublicKeyOf } from '../protocol/public-key.ts';
import {
  MAX_PAYLOAD_BYTES,
  type Rival,
  type Sighting,
  type Status,
  type Topic,
  type Transport,
} from './transport.ts';

export type Bus = {
  connect(address: Address): Transport;
  /** Lets nothing pass between the two, in either direction, until `heal`. */
  cut(a: Address, b: Address): void;
  heal(a: Address, b: Address): void;
};

/** One connected node: what the others can see of it. */
type Endpoint = {
  address: Address;
  receive: ((payload: Uint8Array) => void) | null;
  publicKey: Uint8Array | null;
  topics: Map<Topic, (payload: Uint8Array) => void>;
};

/**
 * A bus without nodes. Everything arrives in a later step, in the order of sending; `schedule` decides when that is,
 * so that a simulation can control it. It has to run its tasks in order.
 */
export function createBus(schedule: (task: () => void) => void = setImmediate): Bus {
  const endpoints = new Set<Endpoint>();
  const cuts = new Set<string>();
  const listeners = (address: Address) =>
    [...endpoints].filter((each) => each.address === address && each.receive !== null);

  return {
    connect(address) {
      const endpoint: Endpoint = { address, receive: null, publicKey: null, topics: new Map() };
      endpoints.add(endpoint);
      const statusHandlers: ((status: Status) => void)[] = [];
      const later = <T>(answer: () => T) =>
        new Promise<T>((resolve) => schedule(() => resolve(answer())));

      return {
        publish(to, payload) {
          if (!endpoints.has(endpoint) || payload.length > MAX_PAYLOAD_BYTES) return;
          const copy = payload.slice();
          schedule(() => {
            if (cuts.has(pairOf(address, to))) return;
            for (const each of listeners(to)) each.receive?.(copy);
          });
        },
        onMessage(handler, publicKey) {
          if (endpoint.receive !== null) throw new Error('there is one message handler');
          endpoint.receive = handler;
          endpoint.publicKey = publicKey;
        },
        broadcast(topic, payload) {
          if (!endpoints.has(endpoint) || payload.length > MAX_PAYLOAD_BYTES) return;
          const copy = payload.slice();
          schedule(() => {
            for (const each of endpoints) {
              if (each !== endpoint && !cuts.has(pairOf(address, each.address)))
                each.topics.get(topic)?.(copy);
            }
          });
        },
        onBroadcast(topic, handler) {
          if (endpoint.topics.has(topic)) throw new Error('there is one handler for each topic');
          endpoint.topics.set(topic, handler);
        },
        presence: (other) =>
          later((): Sighting => {
            if (!endpoints.has(endpoint) || cuts.has(pairOf(address, other)))
              return { state: 'unknown' };
            return sightingOf(listeners(other));
          }),
        onStatus: (handler) => void statusHandlers.push(handler),
        isConnected: () => endpoints.has(endpoint),
        findRival: () =>
          later((): Rival => {
            const isOther = (each: Endpoint) => each !== endpoint && holdsKey(each);
            return listeners(address).some(isOther) ? 'free' : 'none';
          }),
        async close() {
          if (!endpoints.delete(endpoint)) return;
          for (const handler of statusHandlers) handler('disconnected');
        },
      };
    },
    cut: (a, b) => void cuts.add(pairOf(a, b)),
    heal: (a, b) => void cuts.delete(pairOf(a, b)),
  };
}

function sightingOf(listeners: readonly Endpoint[]): Sighting {
  if (listeners.length === 0) return { state: 'unreachable' };
  for (const each of listeners)
    if (each.publicKey !== null && holdsKey(each))
      return { state: 'reachable', publicKey: each.publicKey };
  return { state: 'unknown' };
}

/** Within one process, a node that shows the right public key is believed to have the key. */
function holdsKey({ address, publicKey }: Endpoint): boolean {
  return publicKey !== null && isPublicKeyOf(publicKey, address);
}

function pairOf(a: Address, b: Address): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
