/**
 * Pays back what is left of a closed tab, by an ordinary payment. The node knows each attempt by its own key, so that it is
 * made once, over restarts too; the next one is begun when the one before has certainly failed, and that is on disk.
 */
import type { Log } from '../basics/environment.ts';
import type { Hash } from '../basics/hex.ts';
import { messageOf } from '../basics/message-of.ts';
import { createClient } from '../client/api.ts';
import { paymentHistory } from '../client/history.ts';
import { type PayOrder, pay } from '../client/pay.ts';
import { tabPaymentId } from '../x402/ticket.ts';
import type { Ending, Tab } from './tab.ts';

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
/**
 * A node remembers a key for a day after the payment's end, and for the token of its API that it came with. Beyond that the
 * same key could pay a second time.
 */
const KNOWN_MS = 20 * 3_600_000;
/**
 * Payments under way at a time: those that are tried first, and those that have failed before. A buyer that lets its payment
 * run out of time each time delays others like it, and nobody else.
 */
const AT_ONCE = { first: 8, again: 4 };

/** `open`: it is not known, or may still be paid: the same attempt goes on. `failed`: it will not be paid. */
type Outcome = { is: 'paid' | 'open' | 'failed'; reason: string };

export function createRests({ node, log, now, ...given }: Options) {
  const ending = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const first = createQueue(AT_ONCE.first);
  const again = createQueue(AT_ONCE.again);
  /** Tabs whose attempt was begun by this process, so that the node knows its key. */
  const begun = new Set<Hash>();
  const access = {
    ...(given.token === null ? {} : { token: given.token }),
    ...(given.fetch === undefined ? {} : { fetch: given.fetch }),
  };

  function later(tab: Tab, told: Told, pauseMs: number): void {
    if (ending.signal.aborted) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      begin(again, tab, told, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    }, pauseMs);
    timer.unref();
    timers.add(timer);
  }

  function begin(queue: Queue, tab: Tab, told: Told, pauseMs: number): void {
    queue(() =>
      attempt(tab, told, pauseMs).catch((error) => {
        const facts = { secretHash: tab.id, reason: messageOf(error) };
        if (!ending.signal.aborted) log.error(facts, 'the rest of a tab could not be paid back');
        later(tab, told, pauseMs);
      }),
    );
  }

  async function attempt(tab: Tab, told: Told, pauseMs: number): Promise<void> {
    const { ending: closing } = tab;
    if (closing === null || closing.overAt !== null || ending.signal.aborted) return;
    const { is, reason } = await outcomeOf(tab, closing);
    // What a call says that was broken off here says nothing about the payment.
    if (ending.signal.aborted) return;
    const facts = { secretHash: tab.id, payer: tab.payer, units: `${closing.rest}` };
    if (is === 'paid') {
      begun.delete(tab.id);
      log.info(facts, 'a tab is closed, and its rest is paid back');
      return told.settled({ ...tab, ending: { ...closing, overAt: now() } });
    }
    log.warn({ ...facts, reason }, 'the rest of a tab is not paid back yet');
    if (is === 'open') return later(tab, told, pauseMs);
    const next = { ...tab, ending: { ...closing, attempt: closing.attempt + 1, since: now() } };
    await told.note(next);
    later(next, told, pauseMs);
  }

  /** Asks for the payment, unless the node may have made it under a key that it does not know any more. */
  async function outcomeOf(tab: Tab, { attempt, since, rest }: Ending): Promise<Outcome> {
    const isKnown = begun.has(tab.id) && now() - since < KNOWN_MS;
    const found = isKnown ? null : await remembered(tab);
    if (found !== null) return found;
    begun.add(tab.id);
    const options = { ...access, key: `tab-rest-${tab.id}-${attempt}`, signal: ending.signal };
    const paid = await pay(node, orderOf(tab, rest), options);
    if (paid.ok) return { is: 'paid', reason: '' };
    return { is: paid.outcome === 'failed' ? 'failed' : 'open', reason: paid.reason };
  }

  /** What the node remembers of a payment with the tab's identifier; null: nothing, it was not made. */
  async function remembered({ key, token }: Tab): Promise<Outcome | null> {
    const identifier = tabPaymentId(key, 'rest');
    try {
      const client = createClient(node, access);
      const answer = await client.pending_transfers[':token'].$get({ param: { token } });
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      const pending = await answer.json();
      if (pending.some(({ payment_identifier }) => payment_identifier === `${identifier}`))
        return { is: 'open', reason: 'it is under way' };
      for await (const { event } of paymentHistory(node, { identifier, ...access }))
        if (event === 'EventPaymentSentSuccess') return { is: 'paid', reason: '' };
      return null;
    } catch (error) {
      const advice = 'give a token that may read';
      return {
        is: 'open',
        reason: `whether it was paid is not known (${messageOf(error)}): ${advice}`,
      };
    }
  }

  return {
    /** Tries until the buyer has it. */
    pay(tab: Tab, told: Told): void {
      begun.add(tab.id);
      begin(first, tab, told, FIRST_PAUSE_MS);
    },
    /** The same for what another process may have paid, with another token too: the node's history decides. */
    goOn: (tab: Tab, told: Told): void => begin(first, tab, told, FIRST_PAUSE_MS),
    /** Ends the asking; a payment that is under way goes on. */
    stop(): void {
      ending.abort();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

type Queue = ReturnType<typeof createQueue>;

/** Does so much at a time, in the order that it comes. What is to be done does not throw. */
function createQueue(atOnce: number) {
  const waiting: (() => Promise<void>)[] = [];
  let busy = 0;
  async function work(): Promise<void> {
    if (busy >= atOnce) return;
    busy += 1;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
    busy -= 1;
  }
  return (one: () => Promise<void>): void => {
    waiting.push(one);
    void work();
  };
}

/** What mediators take comes out of the rest: on top of it, a buyer behind a mediator of its own would earn it each time. */
function orderOf({ key, token, payer }: Tab, amount: bigint): PayOrder {
  const identifier = tabPaymentId(key, 'rest');
  return { token, target: payer, amount, identifier, isFeeIncluded: true };
}
