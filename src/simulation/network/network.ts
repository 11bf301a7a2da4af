/**
 * The message broker of a simulated network and everything between the nodes and it, in virtual time. Without
 * faults every payload arrives once, after the latency; those from one process to one node arrive in the order of
 * sending, as with NATS. `faults.ts` has what can happen instead.
 */

import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address } from '../../basics/hex.ts';
import type { Status, Transport } from '../../partner/transport.ts';
import type { Abroad } from '../parts/abroad.ts';
import type { Draw, Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { createDelivery } from './delivery.ts';
import { createEndpoints, type Endpoint } from './endpoints.ts';
import { createFaults, type Faults } from './faults.ts';
import { createLines, type LineOf } from './lines.ts';
import type { Counters, Parcel, Sight } from './parcel.ts';
import { createPresence } from './presence.ts';
import { createTransport } from './transport.ts';
import type { Wires } from './wires.ts';

export type Network = {
  /**
   * Connects a process of the node with this address; `process` is its name for `disconnect`, `fence` the stream of its
   * replica. Default null: it has none.
   */
  connect(address: Address, process: string, fence?: string | null): Transport;
  /** The process has died: its transports send and receive nothing more, and no other node is told. */
  disconnect(process: string): void;
  faults: Faults;
  counters(): Readonly<Counters>;
  /** Calls the listener with what happens to every payload from now on; the bytes must not be changed. */
  tap(listener: (sight: Sight) => void): void;
  /** A payload of a node of another part arrives: for one node, or for all that listen to its topic. */
  arriveFromAbroad(parcel: Omit<Parcel, 'to'> & { to: Address | null }): void;
};

export type NetworkOptions = {
  scheduler: Scheduler;
  randomness: Randomness;
  /** From node to node. */
  latencyMs: { least: number; most: number };
  /** Absent: all lines are alike. */
  lineOf?: LineOf;
  /** How many of the last payloads a hostile broker can replay. */
  replayLimit?: number;
  /** Nodes that run in other parts of the world; absent: there are none. */
  abroad?: Abroad;
};

const REPLAY_LIMIT = 256;

export function createNetwork(options: NetworkOptions): Network {
  const { scheduler, randomness, latencyMs, replayLimit = REPLAY_LIMIT, abroad = null } = options;
  const lines = createLines(options.lineOf ?? (() => null), randomness);
  const endpoints = createEndpoints();
  const faults = createFaults(randomness, () => followBroker(wires));
  const draws = new Map<Address, Draw>();

  function latency({ address }: Endpoint): number {
    const draw = getOrMake(draws, address, () => randomness.of(`network/${address}`));
    return draw.integer(latencyMs.least, latencyMs.most);
  }

  const wires: Wires = { endpoints, faults, scheduler, lines, latency, abroad };
  const presence = createPresence(wires);
  const { send, sendAbroad, arrive, counters, tap } = createDelivery(wires, replayLimit);

  return {
    connect(address, process, fence = null) {
      const endpoint = endpoints.add(address, process, fence);
      endpoint.isConnected = !faults.isDown(address);
      return createTransport(endpoint, { endpoints, presence, send, sendAbroad });
    },
    disconnect(process) {
      for (const endpoint of endpoints.all()) {
        if (endpoint.process !== process) continue;
        endpoint.isDead = true;
        endpoints.remove(endpoint);
      }
    },
    faults: { begin: faults.begin, endAll: faults.endAll, counts: faults.counts },
    counters: () => counters,
    tap,
    arriveFromAbroad({ to, ...parcel }) {
      const { topic } = parcel;
      const listeners = topic === null ? [] : endpoints.of(topic).map(({ address }) => address);
      for (const one of to === null ? new Set(listeners) : [to])
        arrive({ ...parcel, to: one }, null);
    },
  };
}

/** Called when nodes may have lost or regained the broker; each node reconnects after its own latency. */
function followBroker({ endpoints, faults, scheduler, latency }: Wires): void {
  function tell(endpoint: Endpoint, status: Status): void {
    if (!endpoints.has(endpoint)) return;
    for (const handler of endpoint.statusHandlers) handler(status);
  }
  function comeBack(endpoint: Endpoint): void {
    const isAway = !endpoints.has(endpoint) || faults.isDown(endpoint.address);
    if (endpoint.isConnected || isAway) return;
    endpoint.isConnected = true;
    tell(endpoint, 'connected');
  }

  for (const endpoint of endpoints.all()) {
    const isDown = faults.isDown(endpoint.address);
    if (isDown && endpoint.isConnected) {
      endpoint.isConnected = false;
      scheduler.after(0, () => tell(endpoint, 'disconnected'));
    }
    if (!isDown && !endpoint.isConnected)
      scheduler.after(latency(endpoint), () => comeBack(endpoint));
  }
}
