/**
 * Reads a stream in order, for as long as its server is heard. The client's own consumers wait for a server that is
 * gone: for half a minute, or for ever when their connection is closed.
 */
import {
  AckPolicy,
  ConsumerEvents,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  nanos,
} from 'nats';

type Options = {
  connection: NatsConnection;
  manager: JetStreamManager;
  stream: string;
  /** The number of the first message. */
  first: number;
  stop: AbortSignal;
};

/** Messages that are asked for at once. */
const READ_AHEAD = 256;
/** For so long a server may say nothing; one that has no messages says that twice as often. */
const LONGEST_SILENCE_MS = 2_000;
/** After so long the server forgets a reader who does not come back. */
const FORGOTTEN_AFTER_MS = 30_000;

/** Ends by `stop`, when the server falls silent or leaves out a message, and with the connection. */
export async function* followStream(options: Options): AsyncGenerator<JsMsg> {
  const { connection, manager, stream, first, stop } = options;
  const { name } = await manager.consumers.add(stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: first,
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(FORGOTTEN_AFTER_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  const consumer = await connection.jetstream().consumers.get(stream, name);
  const messages = await consumer.consume({
    max_messages: READ_AHEAD,
    expires: LONGEST_SILENCE_MS,
    abort_on_missing_resource: true,
  });
  const end = () => messages.stop();
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  void connection.closed().then(end);
  void endInSilence(messages);
  let delivered = 0;
  try {
    for await (const message of messages) {
      delivered += 1;
      if (message.info.deliverySequence !== delivered) return;
      yield message;
    }
  } finally {
    stop.removeEventListener('abort', end);
    messages.stop();
    void consumer.delete().catch(() => undefined);
  }
}

async function endInSilence(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of await messages.status())
    if (type === ConsumerEvents.HeartbeatsMissed) messages.stop();
}
