/** The transport of a simulated process, which may be busy or paused, or die in the middle of what it hears. */
import type { Transport } from '../../partner/transport.ts';
import { Death } from '../world/death.ts';
import type { Process } from './process.ts';
import type { Processor } from './processor.ts';

type Guard = Pick<Process, 'isAlive' | 'heard'> & {
  processor: Pick<Processor, 'awake' | 'leave'>;
  onUncaught(error: unknown): void;
};

/** A transport whose handlers get nothing when their process is dead; one that dies in a handler does so quietly. */
export function guarded(transport: Transport, guard: Guard): Transport {
  const { isAlive, heard, processor, onUncaught } = guard;

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
      processor.awake(() => hear(handler, given));
  return {
    ...transport,
    publish: (to, payload) => processor.leave(() => transport.publish(to, payload)),
    broadcast: (topic, payload) => processor.leave(() => transport.broadcast(topic, payload)),
    presence: (address) => heard(() => transport.presence(address)),
    onMessage: (handler, publicKey) => transport.onMessage(quietly(handler), publicKey),
    onBroadcast: (topic, handler) => transport.onBroadcast(topic, quietly(handler)),
    onStatus: (handler) => transport.onStatus(quietly(handler)),
  };
}
