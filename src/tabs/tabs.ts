/**
 * The tabs of a seller, as long as it runs. A ticket's counter is on disk before its call is served; what the call came to is
 * written with a later commit. So after a crash no counter is good twice, and a call whose end is not known costs nothing.
 */
import { larger, smaller } from '../basics/amount.ts';
import type { Address, Hash } from '../basics/hex.ts';
import { PENDING, type TabReason } from '../x402/reasons.ts';
import { isTicketOf, type SignedTicket } from '../x402/ticket.ts';
import type { Book } from './book.ts';
import { figuresOf, type TabFigures } from './figures.ts';
import { createLumps, type Live, type LumpOptions } from './lumps.ts';
import type { Rests } from './rests.ts';
import { createRoom } from './room.ts';
import { beginCall, beginEnd, type Charge, freeOf, type Tab } from './tab.ts';
import { newWindow, take } from './window.ts';

export type TabsOptions = {
  book: Book;
  rests: Rests;
  redeem: LumpOptions['redeem'];
  /** After how many seconds without a call a tab is closed. */
  idleSeconds: number;
  /** Milliseconds since 1970. */
  now(): number;
};
export type Opening = Pick<Tab, 'id' | 'key' | 'payer' | 'token' | 'received'>;
/** A call that draws from a tab: one of the two ends it. */
export type Drawing = {
  tab: Hash;
  payer: Address;
  /** What is set aside for it. */
  price: bigint;
  /** What it came to, of what was set aside at most; what is charged. */
  charge(amount: bigint): bigint;
  standing(): Standing;
};
/** What the calls of a tab came to that are over, what that leaves, and the further payments that have come. */
type Standing = { total: bigint; left: bigint; lumps: number };
export type Drawn = { ok: true; drawing: Drawing } | { ok: false; reason: Refused };
export type Refused = TabReason | typeof PENDING | 'unavailable';
type Place = { method: string; url: string };

const SWEEP_MS = 5_000;
/** How often what nobody can come with any more is deleted. */
const SWEEPS_TO_FORGET = 720;

export function createTabs({ book, rests, redeem, idleSeconds, now }: TabsOptions) {
  const live = new Map<Hash, Live>();
  const charged = new Map<Address, bigint>();
  const hasRoom = createRoom(live, now);
  let sweeps = 0;
  const add = (tab: Tab) =>
    live.set(tab.id, {
      ...{ tab, aside: 0n, calls: 0, isEnding: false },
      ...{ lump: null, lumpFrom: 0, lumpPauseMs: 0, shown: null, lumpsWritten: tab.lumps },
    });
  const settled = (tab: Tab) => {
    book.note(tab);
    live.delete(tab.id);
    return book.written();
  };
  const noted = (tab: Tab) => {
    note(tab);
    return book.written();
  };
  const ofRest = { note: noted, settled };
  for (const tab of book.load()) {
    add(tab);
    if (tab.ending !== null) rests.goOn(tab, ofRest);
  }
  const told = { note, finish, charged: noteCharged };
  const credit = createLumps({ ...told, redeem, now, written: book.written });
  const timer = setInterval(sweep, SWEEP_MS);
  timer.unref();

  function note(tab: Tab): void {
    const one = live.get(tab.id);
    if (one !== undefined) one.tab = tab;
    book.note(tab);
  }

  function noteCharged(token: Address, amount: bigint): void {
    charged.set(token, (charged.get(token) ?? 0n) + amount);
  }

  function sweep(): void {
    if (book.isBroken()) return;
    for (const one of live.values()) {
      if (one.shown !== null) credit(one, one.shown);
      const isIdle = one.tab.usedAt + idleSeconds * 1_000 <= now();
      if (isIdle && one.calls === 0 && one.tab.ending === null) end(one);
    }
    sweeps += 1;
    if (sweeps % SWEEPS_TO_FORGET === 0) book.forget(now());
  }

  /** Closes a tab of which no call is under way; the rest is paid when that is on disk. */
  function end(one: Live): void {
    const tab = beginEnd(one.tab, now());
    note(tab);
    book.written().then(
      () => (tab.ending?.overAt === null ? rests.pay(tab, ofRest) : live.delete(tab.id)),
      () => {},
    );
  }

  function finish(one: Live): void {
    one.calls -= 1;
    if (one.isEnding && one.calls === 0 && one.tab.ending === null) end(one);
  }

  async function draw(one: Live, ticket: SignedTicket, charge: Charge): Promise<Drawn> {
    if (one.isEnding) return { ok: false, reason: 'tab_closed' };
    const begun = beginCall(one.tab, ticket, charge, { aside: one.aside, now: now() });
    if (!begun.ok) return begun;
    note(begun.tab);
    return onDisk(book, drawingOf(one, begun.aside, told));
  }

  function proven(ticket: SignedTicket, place: Place): Live | TabReason {
    const one = live.get(ticket.tab);
    if (one === undefined) return 'unknown_tab';
    return isTicketOf(one.tab.key, ticket, place) ? one : 'malformed_ticket';
  }

  return {
    /** Whether one more may be opened. */
    hasRoom: (): boolean => !book.isBroken() && hasRoom(),
    instance: book.instance,
    /**
     * Opens a tab with a payment that was redeemed, and begins its first call, which has the counter 0. A payment opens one
     * tab: for one that was opened before, `counter_used`.
     */
    async open(opening: Opening, charge: Charge): Promise<Drawn> {
      if (book.isBroken()) return { ok: false, reason: 'unavailable' };
      if (live.has(opening.id) || book.isKnown(opening.id))
        return { ok: false, reason: 'counter_used' };
      const tab: Tab = {
        ...opening,
        ...{ lumps: 0, charged: 0n, window: newWindow(), usedAt: now(), ending: null },
      };
      const taken = take(tab.window, 0, 0);
      add(taken.ok ? { ...tab, window: taken.window } : tab);
      const one = live.get(tab.id);
      if (one === undefined) throw new Error('it was added');
      book.note(one.tab);
      return onDisk(book, drawingOf(one, smaller(charge.price, tab.received), told));
    },
    /** Begins a call: when this resolves, its counter is used on disk. */
    async begin(ticket: SignedTicket, place: Place, charge: Charge): Promise<Drawn> {
      if (book.isBroken()) return { ok: false, reason: 'unavailable' };
      const one = proven(ticket, place);
      if (typeof one === 'string') return { ok: false, reason: one };
      credit(one, ticket);
      const drawn = await draw(one, ticket, charge);
      if (drawn.ok || drawn.reason !== 'tab_exhausted' || one.lump === null) return drawn;
      await one.lump;
      return draw(one, ticket, charge);
    },
    /**
     * Closes the tab at its buyer's word, as soon as no call is under way. What it then has is paid back: so it is not closed
     * before a payment that its buyer shows is on it.
     */
    async close(
      ticket: SignedTicket,
      place: Place,
    ): Promise<{ ok: true; rest: bigint } | { ok: false; reason: Refused }> {
      const one = proven(ticket, place);
      if (typeof one === 'string') return { ok: false, reason: one };
      credit(one, ticket);
      await one.lump;
      const isOver = one.isEnding || one.tab.ending !== null;
      if (!isOver && (ticket.lump?.number ?? 0) > one.lumpsWritten)
        return { ok: false, reason: PENDING };
      one.isEnding = true;
      if (one.calls === 0 && one.tab.ending === null) end(one);
      return { ok: true, rest: freeOf(one.tab, one.aside) };
    },
    figures: (): TabFigures =>
      figuresOf(
        [...live.values()].map(({ tab }) => tab),
        charged,
      ),
    async stop(): Promise<void> {
      clearInterval(timer);
      rests.stop();
      // What a replica that is away has not got is sent after the next start.
      if (!book.isBroken()) await book.written().catch(() => {});
      book.close();
    },
  };
}

type Told = Pick<LumpOptions, 'note' | 'finish'> & {
  charged(token: Address, amount: bigint): void;
};

function drawingOf(one: Live, aside: bigint, { note, finish, charged: add }: Told): Drawing {
  let isOver = false;
  one.aside += aside;
  one.calls += 1;
  return {
    tab: one.tab.id,
    payer: one.tab.payer,
    price: aside,
    charge(amount) {
      if (isOver) throw new Error('a call is charged once');
      isOver = true;
      const charged = larger(0n, smaller(amount, aside));
      one.aside -= aside;
      if (charged > 0n) note({ ...one.tab, charged: one.tab.charged + charged });
      add(one.tab.token, charged);
      finish(one);
      return charged;
    },
    standing: () => ({
      total: one.tab.charged,
      left: freeOf(one.tab, one.aside),
      lumps: one.lumpsWritten,
    }),
  };
}

/** The call, once its counter is on the disk. */
async function onDisk(book: Book, drawing: Drawing): Promise<Drawn> {
  try {
    await book.written();
    return { ok: true, drawing };
  } catch {
    drawing.charge(0n);
    return { ok: false, reason: 'unavailable' };
  }
}
