/** Where calls are paid by themselves: the offers of each 402, and what is asked of the seller's node about a proof. */
import {
  type HTTPRequestContext,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/core/server';
import type { Log } from '../basics/environment.ts';
import type { Address } from '../basics/hex.ts';
import type { SellerTabs } from '../tabs/seller-tabs.ts';
import type { NodeFacilitator } from '../x402/facilitator.ts';
import { PROOF } from '../x402/headers.ts';
import { DECLARED, IDENTIFIER } from '../x402/identifier.ts';
import { proofIn } from '../x402/offer.ts';
import { CALL_PRICE, tabOption } from '../x402/price.ts';
import { TOO_MANY_UNSERVED } from '../x402/reasons.ts';
import { channelServer } from '../x402/server.ts';
import { isTabOffer } from '../x402/tab-terms.ts';
import type { UnservedBounds } from '../x402/unserved.ts';
import { BAZAAR } from './catalog.ts';
import { rateOf } from './price.ts';
import { createProofBounds } from './proofs.ts';
import type { Quotes } from './quotes.ts';
import { TOO_MANY } from './refusal.ts';
import type { createFinder, Rule } from './rules.ts';
import type { Seller } from './seller.ts';

export type Till = x402HTTPResourceServer;

export type TillOptions = {
  seller: Seller;
  node: NodeFacilitator;
  /** Of the offers. */
  key: string;
  /** How long an offer is good. */
  offerSeconds: number;
  /** Null: each call is paid by itself. */
  tabs: SellerTabs | null;
  log: Log;
  /** Milliseconds, of a clock that is not set. */
  now(): number;
};

export type TillParts = TillOptions & { unserved: UnservedBounds; quotes: Quotes };

/** The node is asked about as many proofs as can be afforded; those that are none of the server's offers it never hears of. */
function bounded({ node, seller, tabs, unserved, now }: TillParts) {
  const bounds = createProofBounds(now);
  const { network } = seller;
  const refused = (errorReason: string) => ({
    ...{ success: false, errorReason, transaction: '', network },
  });
  const settle: NodeFacilitator['settle'] = async (proof, demand) => {
    const shown = proofIn(proof.payload);
    const payer = String(shown?.payer).toLowerCase();
    const opens = isTabOffer(demand.extra) ? tabs : null;
    if (unserved.isOver(payer)) return refused(TOO_MANY_UNSERVED);
    const asking = bounds.begin(payer);
    if (asking === null) return refused(TOO_MANY);
    let isPaid = false;
    try {
      const settled = await (opens?.redeem(node.settle, proof, demand) ??
        node.settle(proof, demand));
      isPaid = settled.success;
      return settled;
    } finally {
      asking.end(isPaid);
      if (isPaid) bounds.noteCustomer(payer);
    }
  };
  return { ...node, settle };
}

/** All calls are one route to the packages of x402: which rule counts is decided here. */
export const ROUTE = '/';

/** For all that is sold for one token. */
export function createTill(
  options: TillParts,
  token: Address,
  find: ReturnType<typeof createFinder>,
): Till {
  const { seller, key, offerSeconds, tabs, quotes } = options;
  const scheme = channelServer({ key, limitsUnserved: false });
  const server = new x402ResourceServer(bounded(options)).register(seller.network, scheme);
  const priceIn = ({ method, adapter }: HTTPRequestContext) => {
    const found = find(method, adapter.getPath());
    if (found.kind !== 'rule') throw new Error('a call without a price came to be paid');
    return { most: priceOf(found.rule, seller), quote: quotes.of(adapter) };
  };
  const priceOfCall = (context: HTTPRequestContext) => {
    const { most, quote } = priceIn(context);
    if (quote === null) return most;
    return { asset: token, amount: `${quote.amount}`, extra: { ...quote.offer } };
  };
  // A tab can bear whatever its first call may cost: so its offer stays the same when the price does not.
  const priceAhead = (context: HTTPRequestContext) => {
    const { most, quote } = priceIn(context);
    return { ...most, extra: { [CALL_PRICE]: `${quote?.amount ?? most.amount}` } };
  };
  const common = {
    scheme: scheme.scheme,
    network: seller.network,
    payTo: seller.address,
    maxTimeoutSeconds: offerSeconds,
  };
  const option = { ...common, price: priceOfCall };
  const offered = tabs?.offeredFor(token) ?? null;
  const accepts =
    offered === null ? [option] : [option, tabOption({ ...common, price: priceAhead }, offered)];
  server.registerExtension(BAZAAR);
  const extensions = { [BAZAAR.key]: {}, [IDENTIFIER]: DECLARED };
  return new x402HTTPResourceServer(server, { [ROUTE]: { accepts, extensions } });
}

/** As clients reach it, without what they keep for themselves. */
export function publicOf(url: string, publicUrl: string | null): string {
  const { origin, pathname, search } = new URL(url);
  return `${publicUrl ?? origin}${pathname}${search}`;
}

/** `proof`: the header that counts; null: none does. */
export function adapterOf(
  request: Request,
  url: string,
  proof: string | null,
): HTTPRequestContext['adapter'] {
  return {
    getHeader: (name) =>
      (name.toLowerCase() === PROOF ? proof : request.headers.get(name)) ?? undefined,
    getMethod: () => request.method,
    getPath: () => new URL(request.url).pathname,
    getUrl: () => url,
    // Its page for browsers names no price.
    getAcceptHeader: () => '',
    getUserAgent: () => '',
  };
}

/** What a call costs at most. Throws when the token has not so many digits. */
export function priceOf({ price }: Rule, { decimals }: Seller) {
  if (price === null) throw new Error('it costs nothing');
  const { most } = rateOf(price, decimals.get(price.token) ?? 0);
  return { asset: price.token, amount: `${most}` };
}
