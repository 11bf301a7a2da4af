/** Asks nodes for what they said while the service did not listen: by themselves they repeat it only now and then. */
import type { Transport } from '../../partner/transport.ts';

/** Nobody reads it. */
const HELLO = Buffer.from('hello');

/** Now, and whenever the broker is found again. */
export function sayHello(transport: Pick<Transport, 'broadcast' | 'onStatus'>): void {
  const greet = () => transport.broadcast('hello', HELLO);
  transport.onStatus((status) => {
    if (status === 'connected') greet();
  });
  greet();
}
