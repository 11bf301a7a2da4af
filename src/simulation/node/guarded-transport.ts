/** The transport of a simulated process, which may be paused, or die in the middle of what it hears. */
import type { Transport } from '../../partner/transport.ts';
import { Death } from '../world/death.ts';

type Guard = {
  isAlive(): boolean;
  awake(work: () => void): void;
  onUncaught(error: unknown): void;
};

/** A transport whose handlers get nothing when their process is dead; one that dies in a handler does so quietly. */
export function guarded(transport: Transport, { isAlive, awake, onUncaught }: Guard): Transport {
  function hear<T>(handler: (given: T) => void, given: T) {
    if (!isAlive()) return;
    try {
      handler(given);
    } catch (error) {
      if (!(error instanceof Death)) onUncaught(error);
    }
  }
  const quietly =
    <T>(handler: (given: T) => void) =>
    (given: T) =>
      awake(() => hear(handler, given));
  return {
    ...transport,
    publish: (to, payload) => awake(() => transport.publish(to, payload)),
    broadcast: (topic, payload) => awake(() => transport.broadcast(topic, payload)),
    onMessage: (handler, publicKey) => transport.onMessage(quietly(handler), publicKey),
    onBroadcast: (topic, handler) => transport.onBroadcast(topic, quietly(handler)),
    onStatus: (handler) => transport.onStatus(quietly(handler)),
  };
}
