/** Watches the connection to the message broker: without it no payment can be sent or received. */

import type { Clock, Log } from '../../basics/environment.ts';
import type { Transport } from '../../partner/transport.ts';

const LOOK_MS = 1_000;

type Options = { transport: Pick<Transport, 'isConnected'>; clock: Clock; log: Log };

export type BrokerWatch = ReturnType<typeof createBrokerWatch>;

export function createBrokerWatch({ transport, clock, log }: Options) {
  let awaySince: number | null = null;
  /** Whether the loss lasts: not set at the first look, because most connections are back at the next. */
  let isLost = false;
  let onChange = () => {};

  function noteAway(): void {
    awaySince ??= clock.elapsed();
    if (isLost || clock.elapsed() - awaySince < LOOK_MS) return;
    isLost = true;
    log.warn({}, 'the message broker is away: nothing can be paid or received until it is back');
    onChange();
  }

  function noteBack(): void {
    if (isLost && awaySince !== null)
      log.info({ awayMs: clock.elapsed() - awaySince }, 'the message broker is back');
    const wasLost = isLost;
    awaySince = null;
    isLost = false;
    if (wasLost) onChange();
  }

  return {
    /** Watches from here on, until the returned function is called. */
    start: (): (() => void) =>
      clock.every(LOOK_MS, () => (transport.isConnected() ? noteBack() : noteAway())),
    /** Calls the listener when the broker is lost, and when it is back. */
    listen(listener: () => void): void {
      onChange = listener;
    },
    isConnected: (): boolean => transport.isConnected(),
    /** Text for people; null while the broker is connected, or was a moment ago. */
    trouble: (): string | null =>
      isLost && !transport.isConnected() ? 'The message broker cannot be reached.' : null,
  };
}
