/** The connection to the broker that replicas use: one of its own, so that partner messages do not delay it. */
import type { NatsConnection } from 'nats';
import { toldOnce } from '../basics/told-once.ts';
import { accessOptions, type NatsAccess } from '../partner/nats-access.ts';
import { type KeptConnection, keepConnected } from '../partner/nats-connection.ts';
import { parseNatsUrl } from '../partner/nats-url.ts';

export type BrokerLogin = {
  /** As `parseNatsUrl` reads it. */
  url: string;
  access?: () => NatsAccess;
  /** Answers are sent to subjects of this name. */
  inbox: string;
  report(problem: string): void;
};

/** The node waits for the stream: one that falls silent is left for another server within seconds. */
const KEEP_ALIVE = { pingInterval: 2_000, maxPingOut: 2 } as const;

/** Joins now, or as soon as the server is there, and again after each loss. `prepare`: see `ConnectionHooks`. */
export function joinReplicaBroker(
  { url, access, inbox, report }: BrokerLogin,
  prepare: (connection: NatsConnection) => void = () => {},
): KeptConnection {
  const parsed = parseNatsUrl(url);
  if (parsed === null)
    throw new Error('not a NATS address: write nats://host:4222 or tls://host:4222');
  const { tls, ...login } = parsed;
  const inboxPrefix = `_INBOX.${inbox}`;
  const options = () => ({
    ...login,
    inboxPrefix,
    ...accessOptions(access?.() ?? {}, tls),
    ...KEEP_ALIVE,
  });
  const told = toldOnce(report);
  return keepConnected(options, {
    prepare,
    opened: told.forget,
    lost() {},
    report: told.report,
  });
}
