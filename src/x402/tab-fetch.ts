/** Calls that draw from a tab: one exchange each, as long as there is something on it. */
import { boundedText } from '../basics/bounded-text.ts';
import { unread } from '../basics/unread.ts';
import { pause } from '../client/pause.ts';
import { PROOF, proofHeader, reasonIn, receiptIn } from './headers.ts';
import type { HeldTab, HeldTabs } from './held-tabs.ts';
import { X402_VERSION } from './offer.ts';
import { withoutFragment } from './purchases.ts';
import { isOfTicket, PENDING } from './reasons.ts';
import { fetchWith } from './repeated.ts';
import { type SignedTicket, ticketPayload } from './ticket.ts';

type Parts = { fetch: typeof fetch; tabs: HeldTabs };

/** Tickets that one call may use up: the seller may not have seen a payment, or have closed the tab. */
const MOST_TRIES = 3;
/** Of an answer to a ticket that is for no call: milliseconds, and bytes. */
const LONGEST_ANSWER_MS = 30_000;
const LONGEST_ANSWER = 65_536;
/** Until a payment that the seller has not seen may be there. */
const SEEN_LATER_MS = 5_000;

/** Null: the tab does not serve this call, which has to be paid by itself. Throws as `fetch` does. */
export async function callOnTab(
  { fetch, tabs }: Parts,
  request: Request,
  tab: HeldTab,
): Promise<Response | null> {
  const { origin } = new URL(request.url);
  for (let tries = 0; tries < MOST_TRIES && tabs.at(origin) === tab; tries++) {
    const made = await withTicket({ fetch, tabs }, request, tab);
    if (made === null) return null;
    const { answer, taken, refused } = made;
    const receipt = receiptIn(answer.headers);
    if (answer.status !== 402) {
      const isTrue = receipt === null || tabs.note(tab, receipt);
      taken();
      if (!isTrue) tabs.lose(origin, 'lied');
      else if (tabs.isLow(tab)) void toppedUp({ fetch, tabs }, tab).catch(() => {});
      return answer;
    }
    const reason = receipt?.reason ?? '';
    // It is no answer to a ticket, as of a server behind the seller.
    if (receipt !== null && !isOfTicket(reason)) return answer;
    unread(answer);
    refused();
    // Nobody has looked at the ticket: no calls of this resource are sold on tabs, or no more.
    if (receipt === null) return null;
    if (reason === 'most_too_low')
      throw new Error(`refused: ${request.url} costs more than a call may cost`);
    if (reason === 'tab_of_another_token') return null;
    if (reason === 'tab_exhausted') {
      if (!(await isToppedUp(tabs, tab))) return null;
    } else if (!reason.startsWith('counter_'))
      tabs.lose(origin, isClosed(reason) ? 'closed' : 'lied');
  }
  return null;
}

/**
 * Pays more, and shows it at once: a seller that has seen it pays it back when no call comes any more, or this program dies.
 * The ticket allows nothing, so that no call is served for it.
 */
async function toppedUp({ fetch, tabs }: Parts, tab: HeldTab): Promise<void> {
  await tabs.topUp(tab);
  if (tab.lump?.shown != null) await shown({ fetch, tabs }, tab, 'lump');
}

/** Shows a ticket that is for no call where the tab was opened. Null: too many calls wait. Throws as `fetch` does. */
async function shown(
  { fetch, tabs }: Parts,
  tab: HeldTab,
  what: 'lump' | 'close',
): Promise<{ answer: Response; text: string } | null> {
  const made = tabs.ticket(tab, tab.place, what);
  if (made === null) return null;
  const headers = { [PROOF]: ticketHeader(tab, made.ticket) };
  const { method, url } = tab.place;
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  try {
    const answer = await fetch(url, { method, headers, redirect: 'manual', signal });
    return { answer, text: await boundedText(answer, LONGEST_ANSWER) };
  } finally {
    made.done();
  }
}

async function isToppedUp(tabs: HeldTabs, tab: HeldTab): Promise<boolean> {
  if (tab.lump?.shown != null) return true;
  await tabs.topUp(tab).catch(() => {});
  return tab.lump?.shown != null;
}

async function withTicket(
  { fetch, tabs }: Parts,
  request: Request,
  tab: HeldTab,
): Promise<{ answer: Response; taken(): void; refused(): void } | null> {
  const { method, url } = request;
  const made = tabs.ticket(tab, { method, url: withoutFragment(url) });
  if (made === null) return null;
  const headers = new Headers(request.headers);
  headers.set(PROOF, ticketHeader(tab, made.ticket));
  try {
    const answer = await fetchWith(fetch, request, headers);
    return { answer, taken: made.taken, refused: made.refused };
  } finally {
    made.done();
  }
}

/** The seller has paid the rest back, or is about to. */
const isClosed = (reason: string) => reason === 'unknown_tab' || reason === 'tab_closed';

const ticketHeader = ({ demand }: HeldTab, ticket: SignedTicket): string =>
  proofHeader({
    x402Version: X402_VERSION,
    accepted: demand,
    payload: ticketPayload(ticket),
  });

/**
 * Asks the seller for the rest of the tab; what is to be paid back, or null: it does not say. What was paid and it has not
 * seen yet it is shown first: it pays back what it has seen. Throws nothing.
 */
export async function closeTab({ fetch, tabs }: Parts, tab: HeldTab): Promise<bigint | null> {
  await tab.paying?.catch(() => {});
  try {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const told = await shown({ fetch, tabs }, tab, 'close');
      if (told === null) return null;
      const { answer, text } = told;
      const reason = answer.status === 402 ? reasonIn(answer.headers) : '';
      if (isClosed(reason)) tabs.lose(new URL(tab.place.url).origin, 'closed');
      if (reason === PENDING) {
        await pause(SEEN_LATER_MS, undefined);
        continue;
      }
      const { rest }: { rest?: unknown } = Object(JSON.parse(text));
      if (!answer.ok || typeof rest !== 'string' || !/^\d{1,78}$/.test(rest)) return null;
      tabs.drop(new URL(tab.place.url).origin);
      return BigInt(rest);
    }
  } catch {
    // It is away, or its answer is none: the tab is kept, and can be closed later.
  }
  return null;
}
