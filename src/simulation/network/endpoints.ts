/** The processes that are connected to the simulated network. All lists are in the order of connecting. */

import type { Address } from '../../basics/hex.ts';
import type { Status, Topic } from '../../partner/transport.ts';

type Handler = (payload: Uint8Array) => void;

/** One process on the network, as the others can see it. */
export type Endpoint = {
  address: Address;
  process: string;
  /** The stream of its replica; null: it has none. */
  fence: string | null;
  receive: Handler | null;
  publicKey: Uint8Array | null;
  /** Whether the public key is that of the address. */
  isProven: boolean;
  topics: Map<Topic, Handler>;
  statusHandlers: ((status: Status) => void)[];
  /** False while the process has no connection to the broker. */
  isConnected: boolean;
  /** The process has died: its open requests are never answered. */
  isDead: boolean;
  /** When the last payload to each node arrives; later payloads do not overtake it. */
  arrivals: Map<Address, number>;
};

export type Endpoints = ReturnType<typeof createEndpoints>;

export function createEndpoints() {
  const all = new Set<Endpoint>();
  const byAddress = new Map<Address, Endpoint[]>();
  const byTopic = new Map<Topic, Endpoint[]>();
  const at = (address: Address) => byAddress.get(address) ?? [];

  return {
    add(address: Address, process: string, fence: string | null): Endpoint {
      const endpoint: Endpoint = {
        address,
        process,
        fence,
        receive: null,
        publicKey: null,
        isProven: false,
        isConnected: true,
        isDead: false,
        topics: new Map(),
        statusHandlers: [],
        arrivals: new Map(),
      };
      all.add(endpoint);
      byAddress.set(address, [...at(address), endpoint]);
      return endpoint;
    },
    /** False: the endpoint was removed already. */
    remove(endpoint: Endpoint): boolean {
      if (!all.delete(endpoint)) return false;
      const isOther = (other: Endpoint) => other !== endpoint;
      byAddress.set(endpoint.address, at(endpoint.address).filter(isOther));
      for (const [topic, listeners] of byTopic) byTopic.set(topic, listeners.filter(isOther));
      endpoint.isConnected = false;
      return true;
    },
    has: (endpoint: Endpoint): boolean => all.has(endpoint),
    attend(endpoint: Endpoint, topic: Topic): void {
      byTopic.set(topic, [...(byTopic.get(topic) ?? []), endpoint]);
    },
    all: (): Endpoint[] => [...all],
    /** The processes of the address that can take payloads at this moment. */
    listeners: (address: Address): Endpoint[] =>
      at(address).filter((one) => one.isConnected && one.receive !== null),
    at,
    of: (topic: Topic): readonly Endpoint[] => byTopic.get(topic) ?? [],
  };
}
