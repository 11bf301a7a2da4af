/** A way to the other nodes on which somebody reads along, and loses what a test wants lost. */
import type { Transport } from '../../src/partner/transport.ts';
import { decodeBatch } from '../../src/protocol/message-codec.ts';
import type { Message, SignedMessage } from '../../src/protocol/messages.ts';

export type Tampered = ReturnType<typeof tampered>;

/** `isLost` decides about each message; its repeats are asked about again. */
export function tampered(transport: Transport, isLost: (message: Message) => boolean) {
  const sent: SignedMessage[] = [];

  /** Each line of a payload is one message. */
  function passes(line: string): boolean {
    const { messages } = decodeBatch(Buffer.from(line));
    sent.push(...messages);
    return !messages.some(({ message }) => isLost(message));
  }
  const publish: Transport['publish'] = (to, payload) => {
    const lines = Buffer.from(payload).toString().split('\n').filter(passes);
    if (lines.length > 0) transport.publish(to, Buffer.from(lines.join('\n')));
  };

  return {
    transport: { ...transport, publish },
    /** Every message with its signature, repeats and lost ones included. */
    sent: (): readonly SignedMessage[] => sent,
  };
}
