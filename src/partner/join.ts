/** Joins the network that a configuration names: a broker, or the bus of this process. */
import type { Bus } from './bus.ts';
import { connectNats, type NatsOptions } from './nats.ts';
import type { NatsAccess } from './nats-access.ts';
import type { Transport } from './transport.ts';

/** A NATS address that `parseNatsUrl` can read, or the bus of this process. */
export type JoinedBroker = { nats: string; access?: () => NatsAccess } | { bus: Bus };

export function joinBroker(
  broker: JoinedBroker,
  options: Omit<NatsOptions, 'url' | 'access'>,
): Transport {
  if ('bus' in broker) return broker.bus.connect(options.address);
  const { nats, access } = broker;
  return connectNats({ ...options, url: nats, ...(access === undefined ? {} : { access }) });
}
