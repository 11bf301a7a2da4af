/** An echo node: follows the payments that a node receives, and pays them back by the rules. */

import type { Clock, Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { NodeApi } from '../../node/api/api.ts';
import { createDebtReader, type HistoryApi } from './reader.ts';
import { type Echo, echoName, type LotteryDraw } from './rules.ts';

export type EchoOptions = { draw: LotteryDraw; clock: Clock; log: Log };
export type EchoNode = {
  /** Begins no more echoes; the node finishes those on their way. */
  stop(): void;
};
type EchoApi = HistoryApi & Pick<NodeApi, 'pay'>;

const TICK_MS = 500;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 600_000;
/**
 * A payer that cannot be reached for this long gets no echo any more. It also limits what a node that was paid for
 * other things gives away when it is started as an echo node by mistake.
 */
export const LIFETIME_MS = 24 * 3_600_000;

/**
 * Starts to echo. The node must be ready: otherwise it would record a failed payment for every echo. When the node
 * fails, the echo ends by itself.
 */
export function startEcho(node: EchoApi, options: EchoOptions): EchoNode {
  const { draw, clock, log } = options;
  const reader = createDebtReader(node, draw);
  const payer = createPayer(node, options);
  let isReading = false;
  let isOver = false;
  let isScheduled = false;

  /**
   * Between asking what is owed and calling `pay` nothing may be awaited: an echo of an earlier process that ends in
   * between would be neither on its way nor known as paid, and would be paid again.
   */
  function advance(): void {
    isScheduled = false;
    if (isOver || isReading) return;
    const owed = reader.owed();
    if (owed !== null) {
      for (const payment of payer.pay(owed)) payment.then(later, fail);
      return;
    }
    isReading = true;
    const done = () => {
      isReading = false;
      later();
    };
    reader.read().then(done, fail);
  }
  /** Schedules `advance` instead of calling it, because listeners are called in the middle of the node's own work. */
  function later(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      try {
        advance();
      } catch (error) {
        fail(error);
      }
    });
  }
  function fail(error: unknown): void {
    if (!isOver) log.error({ error: String(error) }, 'the echo has ended');
    stop();
  }
  const ends = [node.feed.onNew(later), clock.every(TICK_MS, later)];
  function stop(): void {
    isOver = true;
    for (const end of ends) end();
  }
  later();
  return { stop };
}

function createPayer(node: EchoApi, { clock, log }: EchoOptions) {
  /** Payers to whom an echo is on its way: one at a time for each, so that an unreachable payer delays nobody else. */
  const busy = new Set<Address>();
  const failures = new Map<string, { tries: number; notBefore: number }>();

  /** Rejects only when the node cannot go on. */
  async function attempt(echo: Echo): Promise<void> {
    const { token, target, amount, paymentId } = echo;
    const given = { secret: null, secrethash: null, lockTimeout: null, routes: null };
    busy.add(target);
    try {
      const paid = await node.pay({ token, target, amount, paymentId, ...given });
      if (paid.ok) failures.delete(echoName(echo));
      else postpone(echo, paid.code);
    } finally {
      busy.delete(target);
    }
  }

  function postpone(echo: Echo, code: string): void {
    const { tries = 0 } = failures.get(echoName(echo)) ?? {};
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
    failures.set(echoName(echo), { tries: tries + 1, notBefore: clock.elapsed() + pauseMs });
    const { target, paymentId } = echo;
    const facts = { target, paymentId, code, pauseMs };
    log.warn(facts, 'an echo cannot be paid: it is tried again');
  }

  function isDue(echo: Echo): boolean {
    if (busy.has(echo.target) || clock.now() - echo.time > LIFETIME_MS) return false;
    const failed = failures.get(echoName(echo));
    return failed === undefined || failed.notBefore <= clock.elapsed();
  }

  return {
    /** Begins the echoes that are due; each promise resolves when its attempt is over. */
    pay: (owed: readonly Echo[]): Promise<void>[] =>
      owed.flatMap((echo) => (isDue(echo) ? [attempt(echo)] : [])),
  };
}
