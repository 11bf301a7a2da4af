/**
 * A stream of records in NATS JetStream: one stream for one node, which refuses a message unless the newest one has the
 * number that the sender expects. That is the fence: of two nodes that write, one is refused.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { followStream } from './follow.ts';
import { type BrokerLogin, joinReplicaBroker } from './login.ts';
import type { Appended, Bounds, RecordStream } from './stream.ts';

export type JetStreamOptions = BrokerLogin & {
  /** The stream's name, see `isStreamName`. */
  name: string;
};

/**
 * What the stream begins with: older servers let the first message of a stream in whatever number its sender expects.
 * So a record has the number of its message less one.
 */
const OPENING = new TextEncoder().encode('sluice replica');
const OFFSET = 1;

/** The answer of a server whose newest message has another number. Source: nats-server, errors.json. */
const WRONG_LAST_SEQUENCE = 10_071;
const NO_MESSAGE = 10_037;
const NO_STREAM = 10_059;
/** A server that is alone, and servers of which too few can keep the stream. */
const TOO_FEW_SERVERS = [10_074, 10_005];
/** Servers that have no leader, and those of which too few are there: both may change soon. */
const NOT_YET: readonly number[] = [10_008, 10_005];
/** How long servers that have just begun may take to agree on a leader, and how often they are asked. */
const AGREE_MS = 15_000;
const ASK_AGAIN_MS = 250;
/** No resources, no storage, and as much as the stream may keep. */
const FULL: readonly number[] = [10_023, 10_047, 10_077];
const ANSWER_MS = 2_000;
/** The same for a record: with the pause between two pulses, a server that hangs is noticed within three seconds. */
const ACKNOWLEDGED_MS = 1_500;
/** How long a stream may take to be reached when somebody asks for it. */
const REACH_MS = 5_000;
/** Room for the head of a message with the number that it expects. */
const MESSAGE_HEAD = 1_024;
const LARGEST_RECORD = 1_048_576 - MESSAGE_HEAD;

/** The subjects of the stream, one for each track. */
function subjectsOf(name: string): string {
  return `sluice.replica.${name}.>`;
}

/** Joins the stream, now or as soon as the server is there. Whether the stream exists is only seen when it is used. */
export function connectJetStream(options: JetStreamOptions): RecordStream {
  const { name } = options;
  const subjects = `sluice.replica.${name}`;
  const kept = joinReplicaBroker(options);

  let known: { connection: NatsConnection; client: JetStreamClient } | null = null;
  function clientOf(connection: NatsConnection): JetStreamClient {
    if (known?.connection !== connection)
      known = { connection, client: connection.jetstream({ timeout: ANSWER_MS }) };
    return known.client;
  }

  async function joined(): Promise<NatsConnection> {
    const connection = kept.current() ?? (await kept.ready(REACH_MS));
    if (connection === null) throw new Error('the message broker cannot be reached');
    return connection;
  }
  // Without asking first whether the server knows JetStream: each call finds that out by itself.
  const manager = async (): Promise<JetStreamManager> =>
    clientOf(await joined()).jetstreamManager(false);

  async function bounds(): Promise<Bounds | null> {
    const { streams } = await manager();
    const info = await unless(NO_STREAM, streams.info(name));
    if (info === null || info.state.last_seq < OFFSET) return null;
    const { state } = info;
    const last = state.last_seq - OFFSET;
    const isEmpty = state.messages === 0 || last === 0;
    const first = isEmpty ? last + 1 : Math.max(1, state.first_seq - OFFSET);
    return { first, last, bytes: state.bytes, madeAt: info.created };
  }

  return {
    async append(record, sequence, track): Promise<Appended> {
      const connection = kept.current();
      if (connection === null)
        return { ok: false, problem: 'away', message: 'the message broker cannot be reached' };
      const expect = { lastSequence: sequence - 1 + OFFSET, streamName: name };
      const options = { expect, timeout: ACKNOWLEDGED_MS };
      try {
        const published = clientOf(connection).publish(`${subjects}.${track}`, record, options);
        // The client would write it after this turn of the loop, in which the process stands still for the disk.
        connection.flush().catch(() => {});
        const { seq } = await published;
        return seq === sequence + OFFSET ? { ok: true } : { ok: false, problem: 'taken' };
      } catch (error) {
        if (codeOf(error) === WRONG_LAST_SEQUENCE) return { ok: false, problem: 'taken' };
        return { ok: false, problem: 'away', message: explained(error) };
      }
    },
    bounds,
    async read(sequence) {
      const { streams } = await manager();
      return orNull(streams.getMessage(name, { seq: sequence + OFFSET }));
    },
    async newest(track) {
      const { streams } = await manager();
      return orNull(streams.getMessage(name, { last_by_subj: `${subjects}.${track}` }));
    },
    async *follow(sequence, stop) {
      const connection = await joined();
      const found = await clientOf(connection).jetstreamManager(false);
      const options = { connection, manager: found, stream: name, first: sequence + OFFSET, stop };
      for await (const { seq, data } of followStream(options))
        yield { sequence: seq - OFFSET, bytes: data };
    },
    async purge(sequence) {
      await (await manager()).streams.purge(name, { seq: sequence + OFFSET });
    },
    largestRecord() {
      const most = kept.current()?.info?.max_payload ?? LARGEST_RECORD + MESSAGE_HEAD;
      return Math.min(LARGEST_RECORD, most - MESSAGE_HEAD);
    },
    close: kept.close,
  };
}

/** `servers`: how many keep it; `behind`: those of them that are away or have not caught up. */
export type StreamState = {
  servers: number;
  behind: string[];
  bytes: number;
  serverVersion: string;
};

/** How the stream is kept; null: there is none. Rejects when the broker cannot be reached. */
export async function stateOfStream(options: JetStreamOptions): Promise<StreamState | null> {
  const kept = joinReplicaBroker(options);
  try {
    const connection = await kept.ready(REACH_MS);
    if (connection === null) throw new Error('the message broker cannot be reached');
    const { streams } = await connection.jetstream({ timeout: ANSWER_MS }).jetstreamManager(false);
    const found = await unless(NO_STREAM, streams.info(options.name));
    if (found === null) return null;
    const others = found.cluster?.replicas ?? [];
    return {
      servers: found.config.num_replicas,
      behind: others.filter(({ current, offline }) => !current || offline).map(({ name }) => name),
      bytes: found.state.bytes,
      serverVersion: connection.info?.version ?? 'unknown',
    };
  } catch (error) {
    throw new Error(explained(error));
  } finally {
    await kept.close();
  }
}

/** Deletes the stream, if it is there. */
export async function deleteStream(options: JetStreamOptions): Promise<void> {
  const kept = joinReplicaBroker(options);
  try {
    const connection = await kept.ready(REACH_MS);
    if (connection === null) throw new Error('the message broker cannot be reached');
    const { streams } = await connection.jetstream({ timeout: ANSWER_MS }).jetstreamManager(false);
    await unless(NO_STREAM, streams.delete(options.name));
  } catch (error) {
    throw new Error(explained(error));
  } finally {
    await kept.close();
  }
}

type Creation = JetStreamOptions & { replicas: number };

/** Creates the stream, or says why not. It never forgets a record by itself: what is full refuses new ones. */
export async function createStream(
  options: Creation,
): Promise<{ ok: true } | { ok: false; message: string }> {
  const { replicas } = options;
  const kept = joinReplicaBroker(options);
  try {
    const connection = await kept.ready(REACH_MS);
    if (connection === null)
      return { ok: false, message: 'the message broker cannot be reached: check --nats' };
    const client = connection.jetstream({ timeout: ANSWER_MS });
    await onceAgreed(() => addStream(client, options));
    return { ok: true };
  } catch (error) {
    const isTooFew = replicas > 1 && TOO_FEW_SERVERS.includes(codeOf(error) ?? 0);
    const advice = `: the broker needs ${replicas} servers that keep streams and reach each other, or give --replicas 1`;
    return { ok: false, message: `${explained(error)}${isTooFew ? advice : ''}` };
  } finally {
    await kept.close();
  }
}

async function addStream(client: JetStreamClient, { name, replicas }: Creation): Promise<void> {
  const { streams } = await client.jetstreamManager(false);
  const { state } = await streams.add({
    name,
    subjects: [subjectsOf(name)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_msgs: -1,
    max_bytes: -1,
    max_age: 0,
    deny_delete: true,
  });
  // The stream may be there already. With an id the message is taken once: one that nobody has acknowledged may come
  // after it was sent again, and would stand where a record has to.
  if (state.last_seq === 0)
    await client.publish(`sluice.replica.${name}.log`, OPENING, { msgID: 'opening' });
}

/** Does what may be done twice, again and again while the servers cannot do it yet. */
async function onceAgreed(work: () => Promise<void>): Promise<void> {
  for (const end = performance.now() + AGREE_MS; ; await delay(ASK_AGAIN_MS)) {
    try {
      return await work();
    } catch (error) {
      const isNotYet = isSilent(error) || NOT_YET.includes(codeOf(error) ?? 0);
      if (!isNotYet || performance.now() >= end) throw error;
    }
  }
}

function isSilent(error: unknown): error is NatsError {
  return error instanceof NatsError && (error.code === '503' || error.code === 'TIMEOUT');
}

function codeOf(error: unknown): number | null {
  return error instanceof NatsError ? (error.api_error?.err_code ?? null) : null;
}

async function orNull(asked: Promise<{ data: Uint8Array }>): Promise<Uint8Array | null> {
  return (await unless(NO_MESSAGE, asked))?.data ?? null;
}

/** Null when the server refuses with this code. */
async function unless<T>(code: number, asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (codeOf(error) === code) return null;
    throw error;
  }
}

function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const refused = error instanceof NatsError ? error.api_error : undefined;
  if (refused !== undefined && FULL.includes(refused.err_code ?? 0))
    return `the broker takes no record: ${refused.description}. Its disk is full, or what it may keep there`;
  if (!isSilent(error)) return error.message;
  return error.code === '503'
    ? 'the broker keeps no streams now (503): is JetStream on, as by "nats-server --jetstream"?'
    : `the stream does not answer (${error.code})`;
}
