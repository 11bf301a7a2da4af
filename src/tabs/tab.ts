/** One tab, and what may happen to it: pure functions. Amounts in the token's smallest unit. */
import type { Address, Hash } from '../basics/hex.ts';
import type { TabReason } from '../x402/reasons.ts';
import type { Ticket } from '../x402/ticket.ts';
import { take, type Window } from './window.ts';

/** What is on disk. */
export type Tab = {
  /** The secrethash of the payment that opened it. */
  id: Hash;
  /** Of its tickets; the buyer has the same. */
  key: Hash;
  payer: Address;
  token: Address;
  /** All that was paid for it, and by how many payments after the first. */
  received: bigint;
  lumps: number;
  /** What its calls came to. */
  charged: bigint;
  window: Window;
  /** When its last call began, in milliseconds since 1970. */
  usedAt: number;
  /** Null: it is open. */
  ending: Ending | null;
};

/**
 * `rest`: what is paid back. `attempt`: the payment that does it; a new one has a new number, and is begun only when the one
 * before has certainly failed. `since`: when it was begun first. `overAt`: since when the buyer has it, or there was none.
 */
export type Ending = { rest: bigint; attempt: number; since: number; overAt: number | null };

/** `price`: the most that the call can cost by its rule. */
export type Charge = { token: Address; price: bigint };
export type BegunCall = { ok: true; tab: Tab; aside: bigint } | { ok: false; reason: TabReason };

/** What nobody has spent, and no call that is under way may spend. */
export const freeOf = ({ received, charged }: Tab, aside: bigint): bigint =>
  received - charged - aside;

/**
 * The tab with the ticket's counter used, and what is to be set aside for the call: what it costs at most. A ticket that is
 * refused for something else than its counter keeps it: the buyer may come with it again. `aside`: of the calls under way.
 */
export function beginCall(
  tab: Tab,
  { counter, from, most }: Ticket,
  { token, price }: Charge,
  { aside, now }: { aside: bigint; now: number },
): BegunCall {
  if (tab.ending !== null) return { ok: false, reason: 'tab_closed' };
  if (tab.token !== token) return { ok: false, reason: 'tab_of_another_token' };
  if (most < price) return { ok: false, reason: 'most_too_low' };
  const taken = take(tab.window, counter, from);
  if (!taken.ok) return taken;
  if (freeOf(tab, aside) < price) return { ok: false, reason: 'tab_exhausted' };
  return { ok: true, tab: { ...tab, window: taken.window, usedAt: now }, aside: price };
}

/** The same for a ticket that closes the tab. */
export function beginEnd(tab: Tab, now: number): Tab {
  if (tab.ending !== null) return tab;
  const rest = tab.received - tab.charged;
  const ending = { rest, attempt: 1, since: now, overAt: rest === 0n ? now : null };
  return { ...tab, ending };
}
