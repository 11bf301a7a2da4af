/**
 * The tabs that this program has with sellers: one for each origin, from which its calls draw. What it may lose is what lies
 * on them. A seller that breaks its word gets no second tab within the day.
 */
import type { PaymentRequirements } from '@x402/core/types';
import { larger, smaller } from '../basics/amount.ts';
import type { Hex } from '../basics/hex.ts';
import { hostOf } from './budget.ts';
import type { Receipt } from './headers.ts';
import { type TabTerms, termsIn } from './tab-terms.ts';
import { type Lump, macOf, type SignedTicket, type Ticket, tabPaymentId } from './ticket.ts';

export type TabCaps = {
  /** What may lie on the tab of one seller, in the token's smallest unit; absent: no tab is opened. */
  mostOnTab?: bigint;
  /** What may lie on all tabs; absent: as much as on one. */
  mostOnTabs?: bigint;
};
type Place = { method: string; url: string };
export type HeldTab = {
  id: Hex;
  key: Hex;
  /** The offer that opened it, which every ticket names. */
  demand: PaymentRequirements;
  terms: TabTerms;
  /** The call that opened it. */
  place: Place;
  /** What was paid for it and seen by the seller, and what its calls came to, as the seller says it. */
  paid: bigint;
  charged: bigint;
  /** What they can have come to: what the seller has said of a call, and else the most that its ticket allows. */
  atMost: bigint;
  /** The next counter, and those whose answers have not begun: in their order. */
  next: number;
  waiting: Set<number>;
  /** When the last call was made that the seller has answered, in milliseconds since 1970. */
  usedAt: number;
  /** The further payments that the seller has seen, and the one that it has not. */
  lumps: number;
  lump: { amount: bigint; shown: Lump | null } | null;
  lastLump: bigint;
  /** How many payments have certainly failed: the next one is another one to the node. */
  failures: number;
  paying: Promise<void> | null;
};
export type LumpOrder = { tab: HeldTab; amount: bigint; identifier: bigint; key: string };
export type HeldTabs = ReturnType<typeof createHeldTabs>;

type Options = TabCaps & {
  /** What one call may cost. */
  most: bigint;
  /** Pays to a seller, once for a key; null: it is certainly not paid. Throws when that is not known. */
  pay(order: LumpOrder): Promise<Omit<Lump, 'number'> | null>;
  /** Milliseconds since 1970. */
  now(): number;
};

const DAY_MS = 86_400_000;
const MOST_BROKEN = 10_000;
/** Of the window of a seller's counters, with some room. */
const MOST_WAITING = 1_000;

export function createHeldTabs({ most, mostOnTab = 0n, pay, now, ...caps }: Options) {
  const mostOnTabs = caps.mostOnTabs ?? mostOnTab;
  const held = new Map<string, HeldTab>();
  /** Hosts that broke their word, and when. */
  const broken = new Map<string, number>();
  const opening = new Map<string, Promise<unknown>>();
  /** Paid to open a tab, by origin, until the seller says that there is one: as good as on it. */
  const ahead = new Map<string, { amount: bigint; since: number }>();
  /** Of tabs that their sellers have closed: nobody here sees it come back, so for a day it is as good as on them. */
  let unseen: { origin: string; amount: bigint; since: number }[] = [];

  const leftOn = ({ paid, charged, lump }: HeldTab) => paid - charged + (lump?.amount ?? 0n);
  const onAll = () => sumOf(() => true);
  /** On the tabs with one seller, whatever its ports. */
  const onHost = (origin: string) => sumOf((other) => hostOf(other) === hostOf(origin));

  function sumOf(counts: (origin: string) => boolean): bigint {
    let sum = 0n;
    for (const [origin, tab] of held) if (counts(origin)) sum += leftOn(tab);
    for (const [origin, { amount }] of ahead) if (counts(origin)) sum += amount;
    for (const { origin, amount, since } of unseen)
      if (counts(origin) && now() - since < DAY_MS) sum += amount;
    return sum;
  }

  /** Whether a seller has been paid for a tab that is not there. */
  function isAhead(origin: string): boolean {
    for (const [other, { since }] of ahead) if (now() - since >= DAY_MS) ahead.delete(other);
    return [...ahead.keys()].some((other) => hostOf(other) === hostOf(origin));
  }

  /** What may be paid for a tab on which so much lies; null: less than the least payment, so nothing. */
  function lumpFor(
    wanted: bigint,
    least: bigint,
    { most: taken }: TabTerms,
    { here, origin }: { here: bigint; origin: string },
  ): bigint | null {
    const rooms = [taken - here, mostOnTab - onHost(origin), mostOnTabs - onAll()];
    const room = rooms.reduce(smaller);
    const amount = smaller(larger(wanted, least), room);
    return amount < least ? null : amount;
  }

  function isTrusted(origin: string): boolean {
    const since = broken.get(hostOf(origin));
    return since === undefined || now() - since >= DAY_MS;
  }

  async function topUp(tab: HeldTab): Promise<void> {
    const least = BigInt(tab.demand.amount);
    const { origin } = new URL(tab.place.url);
    const at = { here: leftOn(tab), origin };
    const amount = tab.lump?.amount ?? lumpFor(2n * tab.lastLump, least, tab.terms, at);
    if (amount === null) return;
    // Noted before: whatever becomes of it, the same payment is asked for again.
    tab.lump ??= { amount, shown: null };
    const number = tab.lumps + 1;
    const key = `x402-tab-${tab.id}-${number}-${tab.failures}`;
    const paid = await pay({ tab, amount, identifier: tabPaymentId(tab.key, number), key });
    if (paid === null) tab.failures += 1;
    else tab.lastLump = amount;
    tab.lump = paid === null ? null : { amount, shown: { number, ...paid } };
  }

  return {
    isOn: mostOnTab > 0n,
    at: (origin: string): HeldTab | undefined => held.get(origin),
    all: (): HeldTab[] => [...held.values()],
    /**
     * What is to be paid to open a tab, which counts as on it from now on; null: none is to be opened. `giveBack`: certainly
     * nothing was paid.
     */
    beginToOpen(
      { amount: text, extra }: PaymentRequirements,
      origin: string,
    ): { amount: bigint; giveBack(): void } | null {
      const terms = termsIn(extra);
      if (terms === null || held.has(origin) || isAhead(origin) || !isTrusted(origin)) return null;
      const amount = lumpFor(0n, BigInt(text), terms, { here: 0n, origin });
      if (amount === null) return null;
      const begun = { amount, since: now() };
      ahead.set(origin, begun);
      const giveBack = () => {
        if (ahead.get(origin) === begun) ahead.delete(origin);
      };
      return { amount, giveBack };
    },
    hold(origin: string, tab: Pick<HeldTab, 'id' | 'key' | 'demand' | 'place' | 'paid'>): void {
      const terms = termsIn(tab.demand.extra);
      if (terms === null || held.has(origin)) return;
      const openedAt = ahead.get(origin)?.since ?? now();
      ahead.delete(origin);
      held.set(origin, {
        ...tab,
        ...{ terms, charged: 0n, next: 1, waiting: new Set(), lumps: 0, lump: null, paying: null },
        usedAt: openedAt,
        atMost: most,
        lastLump: tab.paid,
        failures: 0,
      });
    },
    /**
     * `closed`: its seller knows it no more, as was offered for a time without calls; before that it has broken its word, as by
     * `lied`: it said what cannot be.
     */
    lose(origin: string, why: 'closed' | 'lied'): void {
      const tab = held.get(origin);
      held.delete(origin);
      if (tab === undefined || leftOn(tab) === 0n) return;
      if (why === 'closed' && now() - tab.usedAt >= tab.terms.idleSeconds * 1_000) {
        unseen = unseen.filter(({ since }) => now() - since < DAY_MS).slice(1 - MOST_BROKEN);
        unseen.push({ origin, amount: leftOn(tab), since: now() });
        return;
      }
      if (broken.size >= MOST_BROKEN) broken.clear();
      broken.set(hostOf(origin), now());
    },
    /** It is closed by this program. */
    drop: (origin: string): void => void held.delete(origin),
    ticket: (tab: HeldTab, place: Place, what: TicketFor = 'call') =>
      ticketOn(tab, place, { what, most, now: now() }),
    /**
     * Whether what the seller says with the answer to a call can be; then it is noted. The totals of answers that overtake one
     * another come in any order, and what a stream came to is in a later one.
     */
    note: (tab: HeldTab, receipt: Receipt): boolean => noted(tab, receipt, most),
    /** Whether the next payment should be on its way. */
    isLow: (tab: HeldTab): boolean => tab.lump === null && 4n * leftOn(tab) < tab.lastLump,
    /** Pays more to the seller, as far as the caps allow; calls at once share one payment. */
    topUp(tab: HeldTab): Promise<void> {
      tab.paying ??= topUp(tab).finally(() => {
        tab.paying = null;
      });
      return tab.paying;
    },
    /** Calls `open` unless somebody does at that origin; then waits for the other. */
    async opens<T>(origin: string, open: () => Promise<T>): Promise<T | null> {
      const other = opening.get(origin);
      if (other !== undefined) {
        await other.catch(() => {});
        return null;
      }
      const mine = open().finally(() => opening.delete(origin));
      opening.set(origin, mine);
      return mine;
    },
  };
}

function noted(tab: HeldTab, { amount, tab: said }: Receipt, most: bigint): boolean {
  if (said === null) return true;
  const { total, lumps } = said;
  if (amount !== null && amount > most) return false;
  if (amount !== null) tab.atMost -= most - amount;
  tab.charged = larger(tab.charged, total);
  if (tab.lump?.shown?.number === lumps) {
    tab.paid += tab.lump.amount;
    tab.lumps = lumps;
    tab.lump = null;
  }
  return total <= tab.atMost && total <= tab.paid + (tab.lump?.amount ?? 0n);
}

type TicketFor = 'call' | 'lump' | 'close';

/**
 * Null: the seller would take no counter so far ahead of those that wait for their answers. A ticket that is for no call allows
 * nothing. `done`: its answer has begun, or will not come. `taken`: the call was served. `refused`: the seller says that it costs nothing.
 */
function ticketOn(
  tab: HeldTab,
  place: Place,
  { what, most, now }: { what: TicketFor; most: bigint; now: number },
): { ticket: SignedTicket; done(): void; taken(): void; refused(): void } | null {
  const counter = tab.next;
  const [from = counter] = tab.waiting;
  // One call that waits for long holds the window, however many others are over.
  if (what === 'call' && counter - from >= MOST_WAITING) return null;
  tab.next++;
  tab.waiting.add(counter);
  const lump = tab.lump?.shown ?? null;
  const allowed = what === 'call' ? most : 0n;
  const isLast = what === 'close';
  const ticket: Ticket = { tab: tab.id, counter, from, most: allowed, isLast, lump };
  const mac = macOf(tab.key, ticket, place);
  tab.atMost += allowed;
  return {
    ticket: { ...ticket, mac },
    done: () => void tab.waiting.delete(counter),
    taken: () => {
      tab.usedAt = Math.max(tab.usedAt, now);
    },
    refused: () => {
      tab.atMost -= allowed;
    },
  };
}
