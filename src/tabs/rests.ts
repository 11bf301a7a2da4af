/**
 * Pays back what is left of a closed tab, by an ordinary payment. The node knows each attempt by its own key, so that it is
 * made once, over restarts too; the next one is begun when the one before has certainly failed, and that is on disk.
 */
import type { Log } from '../basics/environment.ts';
import { type PayOptions, type PayOrder, pay } from '../client/pay.ts';
import { tabPaymentId } from '../x402/ticket.ts';
import type { Tab } from './tab.ts';

export type Rests = ReturnType<typeof createRests>;
type Options = {
  /** The seller's node, which pays. */
  node: string;
  token: string | null;
  fetch?: typeof fetch;
  log: Log;
  /** Milliseconds since 1970. */
  now(): number;
};
/** Each resolves when it is on disk. */
type Told = { note(tab: Tab): Promise<void>; settled(tab: Tab): Promise<void> };

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** A node remembers a key for a day. After that the same key could pay a second time. */
const KNOWN_MS = 20 * 3_600_000;
/** Payments under way at a time. */
const AT_ONCE = 8;

export function createRests({ node, token, fetch, log, now }: Options) {
  const ending = new AbortController();
  const waiting: (() => Promise<void>)[] = [];
  let busy = 0;

  async function work(): Promise<void> {
    if (busy >= AT_ONCE) return;
    busy += 1;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
    busy -= 1;
  }

  function later(tab: Tab, told: Told, pauseMs: number): void {
    const timer = setTimeout(
      () => begin(tab, told, Math.min(2 * pauseMs, LONGEST_PAUSE_MS)),
      pauseMs,
    );
    timer.unref();
    ending.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  function begin(tab: Tab, told: Told, pauseMs: number): void {
    waiting.push(() =>
      attempt(tab, told, pauseMs).catch((error) => failed(tab, told, pauseMs, error)),
    );
    void work();
  }

  function failed(tab: Tab, told: Told, pauseMs: number, error: unknown): void {
    if (ending.signal.aborted) return;
    log.error({ tab: tab.id, reason: String(error) }, 'the rest of a tab could not be paid back');
    later(tab, told, pauseMs);
  }

  async function attempt(tab: Tab, told: Told, pauseMs: number): Promise<void> {
    const { ending: closing } = tab;
    if (closing === null || closing.overAt !== null || ending.signal.aborted) return;
    const facts = { tab: tab.id, payer: tab.payer, amount: `${closing.rest}` };
    if (now() - closing.since > KNOWN_MS)
      return log.error(
        facts,
        'whether the rest of this tab was paid is not known: ask the node for it',
      );
    const paid = await pay(node, orderOf(tab, closing.rest), optionsOf(tab, closing.attempt));
    if (paid.ok) {
      log.info(facts, 'tab closed, the rest is paid back');
      return told.settled({ ...tab, ending: { ...closing, overAt: now() } });
    }
    log.warn({ ...facts, reason: paid.reason }, 'the rest of a tab is not paid back yet');
    if (paid.outcome === 'pending') return later(tab, told, pauseMs);
    const next = { ...tab, ending: { ...closing, attempt: closing.attempt + 1, since: now() } };
    await told.note(next);
    later(next, told, pauseMs);
  }

  function optionsOf({ id }: Tab, attempt: number): PayOptions {
    const access = {
      ...(token === null ? {} : { token }),
      ...(fetch === undefined ? {} : { fetch }),
    };
    return { ...access, key: `tab-rest-${id}-${attempt}`, signal: ending.signal };
  }

  return {
    /** Tries until the buyer has it. */
    pay: (tab: Tab, told: Told): void => begin(tab, told, FIRST_PAUSE_MS),
    /** Ends the asking; a payment that is under way goes on. */
    stop: (): void => ending.abort(),
  };
}

function orderOf({ key, token, payer }: Tab, amount: bigint): PayOrder {
  return { token, target: payer, amount, identifier: tabPaymentId(key, 'rest') };
}
