/** Calls that draw from a tab: one exchange each, as long as there is something on it. */
import { unread } from '../basics/unread.ts';
import { PROOF, proofHeader, receiptIn } from './headers.ts';
import type { HeldTab, HeldTabs } from './held-tabs.ts';
import { X402_VERSION } from './offer.ts';
import { withoutFragment } from './purchases.ts';
import { isOfTicket } from './reasons.ts';
import { type SignedTicket, ticketPayload } from './ticket.ts';

type Parts = { fetch: typeof fetch; tabs: HeldTabs };

/** Tickets that one call may use up: the seller may not have seen a payment, or have closed the tab. */
const MOST_TRIES = 3;

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
    const { answer, refused } = made;
    const receipt = receiptIn(answer.headers);
    if (answer.status !== 402) {
      const isTrue = receipt === null || tabs.note(tab, receipt);
      if (!isTrue) tabs.lose(origin);
      else if (tabs.isLow(tab)) tabs.topUp(tab).catch(() => {});
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
    } else if (!reason.startsWith('counter_')) tabs.lose(origin);
  }
  return null;
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
): Promise<{ answer: Response; refused(): void } | null> {
  const { method, url, body, signal } = request;
  const made = tabs.ticket(tab, { method, url: withoutFragment(url) });
  if (made === null) return null;
  const headers = new Headers(request.headers);
  headers.set(PROOF, ticketHeader(tab, made.ticket));
  try {
    // Whoever gets the ticket can use it: it does not follow a redirection.
    const init = { headers, redirect: 'manual' } as const;
    const answer =
      body === null
        ? await fetch(url, { ...init, method, signal })
        : await fetch(new Request(request.clone(), init));
    return { answer, refused: made.refused };
  } finally {
    made.done();
  }
}

const ticketHeader = ({ demand }: HeldTab, ticket: SignedTicket): string =>
  proofHeader({
    x402Version: X402_VERSION,
    accepted: demand,
    payload: ticketPayload(ticket),
  });

/** Asks the seller for the rest of the tab; what is to be paid back, or null: it does not say. */
export async function closeTab({ fetch, tabs }: Parts, tab: HeldTab): Promise<bigint | null> {
  const { method, url } = tab.place;
  const made = tabs.ticket(tab, tab.place, true);
  if (made === null) return null;
  const headers = { [PROOF]: ticketHeader(tab, made.ticket) };
  const answer = await fetch(url, { method, headers, redirect: 'manual' });
  made.done();
  const { rest }: { rest?: unknown } = Object(await answer.json().catch(() => null));
  if (!answer.ok || typeof rest !== 'string' || !/^\d{1,78}$/.test(rest)) return null;
  tabs.drop(new URL(url).origin);
  return BigInt(rest);
}
