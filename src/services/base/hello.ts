/**
 * Asks nodes to repeat what they announced while the service did not listen; without being asked they seldom repeat it.
 */
import type { Transport } from '../../partner/transport.ts';

/** Its content is not read by anybody. */
const HELLO = Buffer.from('hello');

/** Sends a hello now, and whenever the broker is connected again. The answer is to be called to send another one. */
export function sayHello(transport: Pick<Transport, 'broadcast' | 'onStatus'>): () => void {
  const greet = () => transport.broadcast('hello', HELLO);
  transport.onStatus((status) => {
    if (status === 'connected') greet();
  });
  greet();
  return greet;
}
