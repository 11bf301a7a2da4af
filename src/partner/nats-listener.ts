/**
 * The receiving half of a node on NATS: its own subject, the subject on which it answers that it is there, and
 * topics.
 */
import type { Msg, NatsConnection, Subscription } from 'nats';
import { encodePresence } from './presence-answer.ts';
import { MAX_PAYLOAD_BYTES } from './transport.ts';

export type Listener = {
  /** Subscribes on this connection to each subject with a handler, unless it has done so already. */
  attend(connection: NatsConnection): void;
  /** Sets the handler of a subject, which can have only one. */
  setHandler(subject: string, handler: (payload: Uint8Array) => void): void;
  /** Makes this node reachable: from now on it answers presence requests with this public key. */
  reveal(publicKey: Uint8Array): void;
  /** Stops listening; the server is told with the next flush. */
  leave(): void;
};

export const presenceOf = (subject: string) => `${subject}.presence`;

type Options = {
  /** A part of the answer to a presence request. */
  instanceId: string;
  /** The answer to a question for a proof of the key, or null. */
  proof(question: Uint8Array): Uint8Array | null;
  /** Takes a sentence for the operator. */
  report(problem: string): void;
};

export function createListener(own: string, { instanceId, proof, report }: Options): Listener {
  const handlers = new Map<string, (payload: Uint8Array) => void>();
  const attended = new Set<string>();
  let attending: NatsConnection | null = null;
  let subscriptions: Subscription[] = [];
  let answered: Uint8Array | null = null;
  let left = false;

  function handOn(handler: (payload: Uint8Array) => void, { data }: Msg): void {
    if (left || data.length > MAX_PAYLOAD_BYTES) return;
    try {
      handler(data);
    } catch (bug) {
      // Thrown here, the error would silently end NATS's reader, and the node would hear nothing more.
      queueMicrotask(() => {
        throw bug;
      });
    }
  }

  function answer(request: Msg): void {
    // Otherwise anybody could make this node write to somebody else's subject.
    if (request.reply?.startsWith('_INBOX.') !== true) return;
    if (left || answered === null || attending?.isClosed() !== false) return;
    const said = request.data.length === 0 ? answered : proof(request.data);
    if (said !== null) request.respond(said);
  }

  function subscribe(connection: NatsConnection, name: string, take: (message: Msg) => void) {
    return connection.subscribe(name, {
      callback(error, message) {
        if (error === null) return take(message);
        // To be connected without hearing anything is worse than to be away: partners would see this node, and it
        // would not get their messages.
        report(`the message broker does not let this node listen: ${error.message}`);
        void connection.close();
      },
    });
  }

  return {
    attend(connection) {
      if (left) return;
      if (attending !== connection) {
        attending = connection;
        attended.clear();
        subscriptions = [];
      }
      for (const [subject, handler] of handlers) {
        if (attended.has(subject)) continue;
        attended.add(subject);
        subscriptions.push(subscribe(connection, subject, (message) => handOn(handler, message)));
        if (subject === own) subscriptions.push(subscribe(connection, presenceOf(subject), answer));
      }
    },
    setHandler(subject, handler) {
      if (handlers.has(subject)) throw new Error('there is one message handler');
      handlers.set(subject, handler);
    },
    reveal(publicKey) {
      answered = encodePresence(publicKey, instanceId);
    },
    leave() {
      left = true;
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
