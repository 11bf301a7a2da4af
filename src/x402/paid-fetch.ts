/**
 * `fetch` for what costs: notes what is offered, sends a proof only to where its offer came from, and gives a call the
 * proof that an earlier one of the same resource has paid for and could not use.
 */
import { isHexOf } from '../basics/hex.ts';
import { printable } from '../basics/printable.ts';
import { unread } from '../basics/unread.ts';
import { pause } from '../client/pause.ts';
import { cutPart } from './cut-part.ts';
import { demandIn, PROOF, proofHeader, reasonIn, receiptIn, TooLong, tagIn } from './headers.ts';
import type { HeldTabs } from './held-tabs.ts';
import { isRepeatable } from './identifier.ts';
import { noteOffers } from './offered.ts';
import {
  type Offered,
  type Purchase,
  type Purchases,
  payloadOf,
  resourceOf,
  withoutFragment,
} from './purchases.ts';
import { isFinal, PENDING, TAB_OPEN } from './reasons.ts';
import { fetchWith, reusable } from './repeated.ts';
import { callOnTab } from './tab-fetch.ts';
import { isTabOffer } from './tab-terms.ts';
import { tabKey } from './ticket.ts';

type Parts = {
  fetch: typeof fetch;
  purchases: Purchases;
  /** Has it paid; throws when it is not. */
  finish(purchase: Purchase): Promise<void>;
  tabs: HeldTabs;
  /** Pays to open a tab; null: none is to be opened there. Throws when it is not, or not certainly, paid. */
  buyTab(offered: Offered): Promise<Purchase | null>;
  /** For how many milliseconds one call waits for a seller that takes its proof later. */
  patienceMs: number;
};
/** Between two tries, as long as the server does not say it. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Answers that get lost one after the other until a call ends. */
const MOST_LOST = 3;
/** Bytes of a 402's text that are read. */
const LONGEST_REFUSAL = 65_536;

export function createPaidFetch(parts: Parts): typeof fetch {
  const { purchases } = parts;
  return async (input, init) => {
    const request = new Request(input, init);
    const tag = tagIn(request.headers);
    if (tag !== null) {
      const purchase = purchases.purchase(tag);
      if (purchase === undefined) return parts.fetch(request);
      return present(parts, request, { purchase, headers: request.headers });
    }
    const left = purchases.left(resourceOf(request));
    if (left !== undefined) return presentLeft(parts, request, left);
    const tab = parts.tabs.at(new URL(request.url).origin);
    const drawn = tab === undefined ? null : await callOnTab(parts, request, tab);
    return drawn ?? ask(parts, request);
  };
}

async function ask(parts: Parts, request: Request): Promise<Response> {
  const { fetch, purchases, tabs } = parts;
  const { url } = request;
  const resource = resourceOf(request);
  const answer = await fetch(tabs.isOn ? reusable(request) : request);
  if (answer.status !== 402) return answer;
  const required = offersOf(answer);
  const isMoved = answer.url !== '' && withoutFragment(answer.url) !== withoutFragment(url);
  const offers =
    required === null ? [] : noteOffers(purchases, { required, resource, url, isMoved });
  const ofTab = tabs.isOn ? offers.find(({ demand }) => isTabOffer(demand.extra)) : undefined;
  const opened = ofTab === undefined ? null : await openTab(parts, request, ofTab);
  if (opened === null) return shortened(answer);
  unread(answer);
  return opened;
}

/** Opens a tab with this call, or makes it on the tab that another call opens meanwhile; null: there is none. */
async function openTab(parts: Parts, request: Request, offered: Offered): Promise<Response | null> {
  const { origin } = new URL(request.url);
  const open = async () => {
    const purchase = await parts.buyTab(offered);
    return purchase === null ? null : presentPaid(parts, request, purchase);
  };
  const answer = await parts.tabs.opens(origin, open);
  const tab = parts.tabs.at(origin);
  return answer === null && tab !== undefined ? callOnTab(parts, request, tab) : answer;
}

function offersOf(answer: Response) {
  try {
    return demandIn(answer.headers);
  } catch (error) {
    unread(answer);
    if (error instanceof TooLong) throw new Error(`refused: ${error.message}`);
    throw error;
  }
}

/** The same, with as much of its text as somebody may want to read: a server may send a text without an end. */
async function shortened(answer: Response): Promise<Response> {
  const { status, statusText, headers } = answer;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (length <= LONGEST_REFUSAL && !headers.has('content-encoding')) return answer;
  const reader = answer.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  while (reader !== undefined && size < LONGEST_REFUSAL) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(Uint8Array.from(value.subarray(0, LONGEST_REFUSAL - size)));
    size += value.byteLength;
  }
  if (size >= LONGEST_REFUSAL) void reader?.cancel();
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding']) kept.delete(name);
  return new Response(new Blob(chunks), { status, statusText, headers: kept });
}

/** An earlier call has bought it, or begun to. Whatever comes of it, this call does not pay anew. */
async function presentLeft(parts: Parts, request: Request, purchase: Purchase): Promise<Response> {
  purchase.isInUse = true;
  try {
    if (purchase.paid === null) await parts.finish(purchase);
  } catch (error) {
    purchase.isInUse = false;
    throw error;
  }
  const answer = await presentPaid(parts, request, purchase);
  if (answer.status === 402) notTaken(request, answer);
  return answer;
}

function notTaken({ url }: Request, answer: Response): never {
  unread(answer);
  const reason = printable(reasonIn(answer.headers)) || 'it does not say why';
  throw new Error(
    `${url} does not take what was paid for it (${reason}); nothing more is paid with this call`,
  );
}

/** Throws when the proof is not taken: whoever called would take that answer for an offer to pay. */
async function presentPaid(parts: Parts, request: Request, purchase: Purchase): Promise<Response> {
  if (purchase.paid === null) throw new Error('it is not paid');
  const headers = new Headers(request.headers);
  headers.set(PROOF, proofHeader(payloadOf(purchase.offered, purchase.paid)));
  const answer = await present(parts, request, { purchase, headers });
  const tab = parts.tabs.at(new URL(request.url).origin);
  if (answer.status !== 402) return answer;
  if (reasonIn(answer.headers) !== TAB_OPEN || tab === undefined) return notTaken(request, answer);
  unread(answer);
  return (await callOnTab(parts, request, tab)) ?? ask(parts, request);
}

/** `headers`: with the proof. */
type Shown = { purchase: Purchase; headers: Headers };

async function present(
  parts: Parts,
  request: Request,
  { purchase, headers }: Shown,
): Promise<Response> {
  const { purchases } = parts;
  if (resourceOf(request) !== purchase.offered.resource)
    throw new Error(`refused: the proof is for ${purchase.offered.resource}`);
  purchase.isInUse = true;
  try {
    const mayRepeat = isRepeatable(purchase.offered.required.extensions);
    const answer = await presented(parts, request, { headers, mayRepeat });
    noteTab(parts, answer, purchase);
    if (isUsedUp(answer, purchase.offered)) purchases.drop(purchase);
    return answer;
  } finally {
    purchase.isInUse = false;
  }
}

/** What opened a tab is drawn from by the calls that follow. */
function noteTab({ tabs }: Parts, answer: Response, { offered, amount, paid }: Purchase): void {
  const { demand, offer, url, resource } = offered;
  const receipt = receiptIn(answer.headers);
  const isOpen = receipt?.tab != null || receipt?.reason === TAB_OPEN;
  if (paid === null || !isOpen || !isHexOf(paid.secret, 32) || !isHexOf(paid.secretHash, 32))
    return;
  const { origin } = new URL(url);
  const place = { method: resource.split(' ')[0] ?? '', url: withoutFragment(url) };
  const key = tabKey(paid.secret, offer.tag);
  tabs.hold(origin, { id: paid.secretHash, key, demand, place, paid: amount });
  const tab = tabs.at(origin);
  if (tab?.id === paid.secretHash && receipt !== null && !tabs.note(tab, receipt))
    tabs.lose(origin, 'lied');
}

/**
 * Asks with the proof until it is decided upon, or for as long as a call may wait. `mayRepeat`: the server gives an answer that
 * was lost again; it does nothing twice for one proof.
 */
async function presented(
  { fetch, patienceMs }: Parts,
  request: Request,
  { headers, mayRepeat }: { headers: Headers; mayRepeat: boolean },
): Promise<Response> {
  let leftMs = patienceMs;
  let lost = 0;
  /** With what has come of it: better than a refusal that says that it is sold. */
  let cut: Response | null = null;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    let waitMs = Math.min(pauseMs, LONGEST_PAUSE_MS);
    const isLast = () => request.signal.aborted || leftMs < waitMs;
    try {
      const answer = await fetchWith(fetch, request, headers);
      const part = mayRepeat ? await cutPart(answer) : null;
      if (part !== null) {
        cut = part;
        if (isLast() || ++lost > MOST_LOST) return cut;
      } else {
        if (cut !== null && answer.status === 402) return cut;
        waitMs = Math.min(secondsIn(answer.headers) ?? pauseMs, LONGEST_PAUSE_MS);
        if (!isUndecided(answer) || isLast()) return answer;
        unread(answer);
      }
    } catch (error) {
      if (!mayRepeat || isLast() || ++lost > MOST_LOST) throw error;
    }
    leftMs -= waitMs;
    await pause(waitMs, request.signal);
  }
}

/** The payment may still be paid, or the server looks at no more proofs at the moment: nothing was done for it. */
function isUndecided({ status, headers }: Response): boolean {
  if (status === 402) return reasonIn(headers) === PENDING;
  return status === 429 && receiptIn(headers) === null;
}

/** Milliseconds until the next try, as the server says it. */
function secondsIn(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(text) ? Math.max(Number(text), 1) * 1_000 : null;
}

/** Whether the proof is of no use for another call. */
function isUsedUp({ status, ok, headers }: Response, { demand }: Offered): boolean {
  // The server failed, and may have released it.
  if (status >= 500) return false;
  const receipt = receiptIn(headers);
  if (status === 402)
    return (
      isFinal(reasonIn(headers)) ||
      reasonIn(headers) === TAB_OPEN ||
      isOfThePast(demand, demandIn(headers))
    );
  // A refusal without a receipt, as of a proxy that limits calls, came before the payment was looked at.
  return ok || receipt?.success === true;
}

const SAME = ['scheme', 'network', 'asset', 'amount', 'payTo'] as const;

/** Whether the server has other offers by now, as after a change of its price: it takes no proof for this one. */
function isOfThePast(paid: Offered['demand'], required: ReturnType<typeof demandIn>): boolean {
  const offers = required?.accepts ?? [];
  return (
    offers.length > 0 && !offers.some((offer) => SAME.every((name) => offer[name] === paid[name]))
  );
}
