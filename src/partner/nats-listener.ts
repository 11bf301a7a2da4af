/** The receiving half of a node on NATS: its own subject, and the one where it says that it is there. */
import type { Msg, NatsConnection, Subscription } from 'nats';
import { MAX_PAYLOAD_BYTES } from './transport.ts';

export type Listener = {
  /** Subscribes on this connection, when there is a handler and it has not done so. */
  attend(connection: NatsConnection): void;
  setHandler(handler: (payload: Uint8Array) => void): void;
  /** Hears nothing from here on; the server is told with the next flush. */
  leave(): void;
};

export const presenceOf = (subject: string) => `${subject}.presence`;

/** `instanceId` is the answer to a presence request; `report` takes a sentence for the operator. */
export function createListener(
  subject: string,
  instanceId: string,
  report: (problem: string) => void,
): Listener {
  let handler: ((payload: Uint8Array) => void) | null = null;
  let attending: NatsConnection | null = null;
  let subscriptions: Subscription[] = [];
  let left = false;

  function handOn({ data }: Msg): void {
    if (handler === null || left || data.length > MAX_PAYLOAD_BYTES) return;
    try {
      handler(data);
    } catch (bug) {
      // Thrown here, it would end NATS's reader without a word, and the node would be deaf.
      queueMicrotask(() => {
        throw bug;
      });
    }
  }

  function answer(request: Msg): void {
    // Else anybody could have this node write to somebody else's subject.
    if (request.reply?.startsWith('_INBOX.') !== true) return;
    if (!left && attending?.isClosed() === false) request.respond(instanceId);
  }

  function subscribe(connection: NatsConnection, name: string, take: (message: Msg) => void) {
    return connection.subscribe(name, {
      callback(error, message) {
        if (error === null) return take(message);
        // Deaf is worse than away: partners would see this node, and it would not hear them.
        report(`the message broker does not let this node listen: ${error.message}`);
        void connection.close();
      },
    });
  }

  return {
    attend(connection) {
      if (handler === null || left || attending === connection) return;
      attending = connection;
      subscriptions = [
        subscribe(connection, subject, handOn),
        subscribe(connection, presenceOf(subject), answer),
      ];
    },
    setHandler(taker) {
      if (handler !== null) throw new Error('there is one message handler');
      handler = taker;
    },
    leave() {
      left = true;
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
