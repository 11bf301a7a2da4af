/** What connects a service to the world: the chain and the message broker. */
import type { Clock } from '../../basics/environment.ts';
import type { Check } from '../../basics/health.ts';
import type { HeadStatus } from '../../chain/watch/watcher.ts';
import type { Transport } from '../../partner/transport.ts';
import { laterCheck, neededCheck } from './health.ts';

/** Most connections that are lost are back within this time. */
const BROKER_PATIENCE_MS = 5_000;

/** `head`: null before the first answer of the endpoint. */
export function chainCheck(head: () => HeadStatus | null, keeps: string): Check {
  return neededCheck(keeps, 'The chain is not followed', () => {
    const status = head();
    if (status?.status === 'ready') return null;
    const trouble = status?.trouble ?? null;
    if (trouble !== null) return `The chain cannot be read: ${trouble}`;
    const left = status === null ? '' : `: ${status.blocksToSync} blocks are left`;
    return `The service has not caught up with the chain${left}.`;
  });
}

/** Which certificates end soon, for people. */
export type CertificateWatch = { trouble(): string | null };

export function certificateChecks(watch: CertificateWatch | undefined) {
  if (watch === undefined) return {};
  const find = () => {
    const trouble = watch.trouble();
    return trouble && `${trouble} Put a new one into its place: it is read at the next connection.`;
  };
  const keeps = 'The certificates for the broker last three weeks more.';
  return { certificates: laterCheck(keeps, 'A certificate for the broker ends soon', find) };
}

export function brokerCheck(parts: {
  transport: Pick<Transport, 'isConnected'>;
  clock: Pick<Clock, 'elapsed'>;
  keeps: string;
}): Check {
  const { transport, clock, keeps } = parts;
  let awaySince: number | null = null;
  return neededCheck(keeps, 'The message broker is away', () => {
    awaySince = transport.isConnected() ? null : (awaySince ?? clock.elapsed());
    if (awaySince === null || clock.elapsed() - awaySince < BROKER_PATIENCE_MS) return null;
    return 'The message broker cannot be reached: look at it, its certificates and --nats.';
  });
}
