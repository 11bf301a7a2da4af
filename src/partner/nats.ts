/**
 * Partner messages over NATS: one subject per node, plain publishes, no queue groups, nothing stored.
 *
 * Neither the server nor anybody else on it is trusted; see `transport.ts` for what that means.
 */
import { randomUUID } from 'node:crypto';
import type { ConnectionOptions, NatsConnection } from 'nats';
import type { Address } from '../basics/hex.ts';
import { toldOnce } from '../basics/told-once.ts';
import { createFloodGate } from './flood-gate.ts';
import type { Fence, RecoverKey, Sign } from './key-proof.ts';
import { accessOptions, type NatsAccess } from './nats-access.ts';
import { keepConnected } from './nats-connection.ts';
import { createListener, presenceOf } from './nats-listener.ts';
import { findKey } from './nats-presence.ts';
import { createRivalCheck } from './nats-rival.ts';
import { parseNatsUrl } from './nats-url.ts';
import { MAX_PAYLOAD_BYTES, type Status, type Topic, type Transport } from './transport.ts';

const RIVAL_INTERVAL_MS = 60_000;

export type NatsOptions = {
  /** As `parseNatsUrl` reads it. */
  url: string;
  chainId: bigint;
  tokenNetworkRegistry: Address;
  /** This node's own address. */
  address: Address;
  /** Signs with this node's key, to answer those who ask whether somebody has the key; null: nobody is answered. */
  sign: Sign | null;
  recover: RecoverKey;
  /** The stream that keeps other processes with this key from going on. Default null. */
  fence?: Fence;
  /**
   * Called for each connection, so that renewed credentials count from the next one on. An error that it throws is
   * reported.
   */
  access?: () => NatsAccess;
  /**
   * Called with a sentence on each problem, only once until the next connection; the sentence contains nothing
   * secret.
   */
  report?: (problem: string) => void;
  /** Milliseconds that a node may take to answer that it is there. Default 2000. */
  presenceTimeoutMs?: number;
};

/**
 * The subject of a node, or of a topic. Nodes of another chain or of other contracts are on other subjects
 * and do not hear each other.
 */
export function subjectOf(
  network: Pick<NatsOptions, 'chainId' | 'tokenNetworkRegistry'>,
  to: Address | Topic,
): string {
  const registry = network.tokenNetworkRegistry.toLowerCase();
  return `sluice.${network.chainId}.${registry}.${to.toLowerCase()}`;
}

/**
 * Joins the network, now or as soon as the server is there, and again after each loss. Throws when the URL is none;
 * check a URL from a person with `parseNatsUrl` first.
 */
export function connectNats(options: NatsOptions): Transport {
  const own = subjectOf(options, options.address);
  const timeout = options.presenceTimeoutMs ?? 2_000;
  const rivals = createRivalCheck({
    ...options,
    fence: options.fence ?? null,
    place: options,
    now: () => performance.now(),
  });
  const { report, forget } = toldOnce((problem) => options.report?.(problem));
  const statusHandlers: ((status: Status) => void)[] = [];
  let gate = createFloodGate(async () => {});

  function tellStatus(status: Status): void {
    for (const handler of statusHandlers) handler(status);
  }

  const listener = createListener(own, { instanceId: randomUUID(), proof: rivals.answer, report });
  const kept = keepConnected(connectionOptions(options), {
    prepare: listener.attend,
    opened(connection) {
      gate = createFloodGate(() => connection.flush());
      forget();
      listener.attend(connection);
      tellStatus('connected');
    },
    lost: () => tellStatus('disconnected'),
    report,
  });

  /** Why the payload cannot leave, or null. */
  function problemWith(payload: Uint8Array, connection: NatsConnection): string | null {
    const limit = Math.min(MAX_PAYLOAD_BYTES, connection.info?.max_payload ?? MAX_PAYLOAD_BYTES);
    if (payload.length > limit) return `a payload above ${limit} bytes was not sent`;
    return gate.admits(payload.length) ? null : 'the message broker does not keep up';
  }

  function publish(to: Address | Topic, payload: Uint8Array): void {
    const connection = kept.current();
    if (connection === null) return;
    const problem = problemWith(payload, connection);
    if (problem === null) connection.publish(subjectOf(options, to), payload);
    else report(problem);
  }

  function listen(change: () => void): void {
    change();
    const connection = kept.current();
    if (connection !== null) listener.attend(connection);
  }

  return {
    publish,
    onMessage: (handler, publicKey) =>
      listen(() => {
        listener.setHandler(own, handler);
        listener.reveal(publicKey);
      }),
    broadcast: publish,
    onBroadcast: (topic, handler) =>
      listen(() => listener.setHandler(subjectOf(options, topic), handler)),
    async presence(address) {
      const connection = kept.current();
      if (connection === null) return { state: 'unknown' };
      const subject = presenceOf(subjectOf(options, address));
      return findKey(connection, subject, address, timeout);
    },
    onStatus: (handler) => void statusHandlers.push(handler),
    isConnected: () => kept.current() !== null,
    async findRival() {
      const connection = await kept.ready(timeout);
      return connection === null ? 'none' : rivals.find(connection, presenceOf(own), timeout);
    },
    rivalIntervalMs: RIVAL_INTERVAL_MS,
    close() {
      listener.leave();
      return kept.close();
    },
  };
}

/** The options of a connection, made anew for each one. */
function connectionOptions({ url, address, access }: NatsOptions): () => ConnectionOptions {
  const parsed = parseNatsUrl(url);
  if (parsed === null)
    throw new Error('not a NATS address: write nats://host:4222 or tls://host:4222');
  const { tls, ...login } = parsed;
  // Answers to this node come to subjects of its own, so that a broker can keep others from listening to them, and apart
  // from those to its replica, so that a leaf may be let answer here and not there.
  const inboxPrefix = `_INBOX.${address.toLowerCase()}.presence`;
  return () => ({ ...login, inboxPrefix, ...accessOptions(access?.() ?? {}, tls) });
}
