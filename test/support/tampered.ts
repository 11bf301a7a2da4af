/** A way to the other nodes on which somebody with all keys reads along, and loses what a test wants lost. */
import type { Transport } from '../../src/partner/transport.ts';
import type { Message, SentMessage } from '../../src/protocol/messages/table.ts';
import type { Signer } from '../../src/signer/signer.ts';
import type { Network } from './network.ts';
import { linesOf } from './sealed.ts';

type Options = { network: Pick<Network, 'read' | 'speaker' | 'signerAt'>; signer: Signer };

/**
 * The transport of the node with this key. `isLost` decides about each message, and again about each repeat.
 */
export function tampered(
  transport: Transport,
  { network, signer }: Options,
  isLost: (message: Message) => boolean,
) {
  const sent: SentMessage[] = [];
  const say = network.speaker(signer);

  const publish: Transport['publish'] = (to, payload) => {
    const messages = network.read(to, payload);
    sent.push(...messages);
    const left = messages.filter(({ message }) => !isLost(message));
    if (left.length === messages.length) transport.publish(to, payload);
    else if (left.length > 0) transport.publish(to, say(network.signerAt(to), linesOf(left)));
  };

  return {
    transport: { ...transport, publish },
    /** Every message with its signature, repeats and lost ones included. */
    sent: (): readonly SentMessage[] => sent,
  };
}
