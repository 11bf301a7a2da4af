/**
 * One connection to a NATS server that is made again whenever it is lost, for as long as it takes.
 *
 * The client's own reconnection is off: it buffers without bound while it is away, gives up after two refused logins,
 * and cannot be stopped before it has connected once. A new connection each time has none of these faults, and start,
 * restart and refusal are handled in the same way.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionOptions, connect, Events, type NatsConnection } from 'nats';

export type ConnectionHooks = {
  /** Subscribes on a new connection. Only when the server has accepted this, `opened` is called. */
  prepare(connection: NatsConnection): void;
  opened(connection: NatsConnection): void;
  lost(): void;
  /** Gets a sentence for the operator. */
  report(problem: string): void;
};

export type KeptConnection = {
  /** The connection that is in use, or null while there is none. */
  current(): NatsConnection | null;
  /** Waits at most so long for a connection. */
  ready(milliseconds: number): Promise<NatsConnection | null>;
  close(): Promise<void>;
};

const DIAL_TIMEOUT_MS = 5_000;
const LONGEST_PAUSE_MS = 2_000;
const FAREWELL_MS = 1_000;

/** A dead peer is noticed after two unanswered pings. */
const KEEP_ALIVE = { pingInterval: 10_000, maxPingOut: 2 } as const;

/**
 * Begins at once and in the background; a server that is not there yet is waited for. `options` are asked for each
 * connection; what they throw is a failure like any other.
 */
export function keepConnected(
  options: () => ConnectionOptions,
  hooks: ConnectionHooks,
): KeptConnection {
  const stop = new AbortController();
  const waiting = new Set<(connection: NatsConnection | null) => void>();
  const stopped = once(stop.signal, 'abort');
  let current: NatsConnection | null = null;

  async function run(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; failures++) {
      const connection = await open(options, hooks, stopped);
      if (stop.signal.aborted) return connection?.close();
      if (connection !== null) {
        failures = 0;
        current = connection;
        hooks.opened(connection);
        for (const tell of waiting) tell(connection);
        const reason = await connection.closed();
        current = null;
        hooks.lost();
        if (reason instanceof Error) hooks.report(`the message broker is gone: ${reason.message}`);
      }
      await pause(failures, stop.signal);
    }
  }
  const running = run();

  return {
    current: () => (current?.isClosed() === false ? current : null),
    ready(milliseconds) {
      if (current !== null || stop.signal.aborted) return Promise.resolve(current);
      return new Promise((resolve) => {
        const tell = (connection: NatsConnection | null) => {
          clearTimeout(timer);
          waiting.delete(tell);
          resolve(connection);
        };
        const timer = setTimeout(() => tell(null), milliseconds);
        waiting.add(tell);
      });
    },
    async close() {
      stop.abort();
      for (const tell of waiting) tell(null);
      const connection = current;
      if (connection !== null) {
        await within(FAREWELL_MS, connection.flush());
        await connection.close();
      }
      await running;
    },
  };
}

/** A connection whose subscriptions the server has accepted, or null after a report. */
async function open(
  options: () => ConnectionOptions,
  hooks: ConnectionHooks,
  stopped: Promise<unknown>,
): Promise<NatsConnection | null> {
  let connection: NatsConnection | null = null;
  try {
    connection = await connect({
      ...KEEP_ALIVE,
      ...options(),
      timeout: DIAL_TIMEOUT_MS,
      reconnect: false,
      noAsyncTraces: true,
    });
    watchErrors(connection, hooks.report);
    hooks.prepare(connection);
    // The server answers in order: with this answer it has also answered the subscriptions.
    await Promise.race([connection.flush(), connection.closed(), stopped]);
    if (!connection.isClosed()) return connection;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    hooks.report(`the message broker cannot be reached: ${reason}`);
  }
  await connection?.close();
  return null;
}

/** Reports what the server complains about, such as a missing permission. */
async function watchErrors(
  connection: NatsConnection,
  report: (problem: string) => void,
): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === Events.Error) report(`the message broker reports ${String(data)}`);
  }
}

/**
 * A pause that grows with the failures and is never the same for two nodes, so that they do not all come back at
 * once.
 */
async function pause(failures: number, stop: AbortSignal): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(failures, 10));
  await delay(longest * (0.5 + Math.random() / 2), null, { signal: stop }).catch(() => null);
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const limit = new AbortController();
  const expired = delay(milliseconds, undefined, { signal: limit.signal }).catch(() => undefined);
  await Promise.race([work.catch(() => undefined), expired]);
  limit.abort();
}
