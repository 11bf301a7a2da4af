/** What one node says, in the order in which it leaves, and what all nodes broadcast. */

import type { Address } from '../../src/basics/hex.ts';
import type { Bus } from '../../src/partner/bus.ts';
import type { Topic, Transport } from '../../src/partner/transport.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import type { ServiceMessage } from '../../src/protocol/services/service-message-types.ts';
import { decodeServiceMessages } from '../../src/protocol/services/service-messages.ts';
import { STRANGER } from './makers.ts';
import type { Reader } from './sealed.ts';

export type Said = { to: Address | Topic; message: Message | ServiceMessage };

/** The transport, and everything that is given to it from now on; `read` opens what is for nodes. */
export function overheard(
  transport: Transport,
  read: Reader,
): { transport: Transport; said: Said[] } {
  const said: Said[] = [];
  const noted: Transport = {
    ...transport,
    publish(to, payload) {
      for (const { message } of read(to, payload)) said.push({ to, message });
      transport.publish(to, payload);
    },
    broadcast(topic, payload) {
      for (const { message } of decodeServiceMessages(payload).messages)
        said.push({ to: topic, message });
      transport.broadcast(topic, payload);
    },
  };
  return { transport: noted, said };
}

/** The messages of one topic, in their order, from now on. */
export function listenTo(bus: Bus, topic: Topic): ServiceMessage[] {
  const heard: ServiceMessage[] = [];
  bus.connect(STRANGER).onBroadcast(topic, (payload) => {
    const { messages, refused } = decodeServiceMessages(payload);
    if (refused[0] !== undefined) throw new Error(`not understood: ${refused[0].reason}`);
    heard.push(...messages.map(({ message }) => message));
  });
  return heard;
}
