/** Calls that draw from a tab: no node, no chain and no broker is asked on their way. */
import * as Hash from 'ox/Hash';
import type { Log } from '../basics/environment.ts';
import { type Address, type Hex, parseAddress } from '../basics/hex.ts';
import { toUnits } from '../client/units.ts';
import { type Book, openBook } from '../tabs/book.ts';
import { createRests } from '../tabs/rests.ts';
import type { Charge, Tab } from '../tabs/tab.ts';
import { createTabs, type Drawing, type Drawn, type Tabs } from '../tabs/tabs.ts';
import type { NodeFacilitator } from '../x402/facilitator.ts';
import { offerIn, proofIn, SCHEME, X402_VERSION } from '../x402/offer.ts';
import type { Resource } from '../x402/place.ts';
import { termsExtra } from '../x402/tab-terms.ts';
import { type Lump, type SignedTicket, tabKey } from '../x402/ticket.ts';
import type { TabTerms } from './rules.ts';
import type { Seller } from './seller.ts';
import type { Paying } from './serve.ts';

/** What one payment for a tab is at least, and what may lie on it; in the token's smallest unit. */
type Terms = { least: bigint; most: bigint };
export type TabConfig = {
  /** The database of the tabs. */
  file: string;
  terms: ReadonlyMap<Address, TabTerms>;
  idleSeconds: number;
};
type Parts = {
  seller: Seller;
  /** The seller's node, and a token of it that may pay. */
  node: string;
  token: string | null;
  fetch?: typeof fetch;
  facilitator: NodeFacilitator;
  log: Log;
};
export type TabCalls = ReturnType<typeof createTabCalls>;

/** Throws with what a person can do. */
export function openTabCalls(config: TabConfig, parts: Parts): TabCalls {
  const { seller } = parts;
  const chainId = BigInt(seller.network.split(':')[1] ?? '');
  const opened = openBook(config.file, { chainId, payTo: seller.address });
  if (!opened.ok) throw new Error(opened.message);
  return createTabCalls(config, parts, opened.book);
}

/** Throws when the token has not so many digits, or the least payment would be too large. */
function termsFor({ least, most, token }: TabTerms, { decimals }: Seller): Terms {
  const [low, high] = [least, most].map((text) => toUnits(text, decimals.get(token) ?? 0));
  if (typeof low !== 'bigint' || typeof high !== 'bigint' || low > high)
    throw new Error(`--tab: no tab has from ${least} to ${most} of the token ${token}`);
  return { least: low, most: high };
}

function createTabCalls(config: TabConfig, parts: Parts, book: Book) {
  const { idleSeconds } = config;
  const given = [...config.terms.values()];
  const terms = new Map(given.map((one) => [one.token, termsFor(one, parts.seller)]));
  const now = Date.now;
  const tabs: Tabs = createTabs({
    ...{ book, idleSeconds, now },
    rests: createRests({ ...parts, now }),
    redeem: (lump, tab, identifier) => redeemed(parts, { lump, tab, identifier, keyOf, terms }),
  });
  /** The node tells this file the same again, and another one that it comes too late. */
  function keyOf(secret: Hex): string {
    return `tab-${book.instance}-${Hash.sha256(secret, { as: 'Hex' })}`;
  }

  return {
    /** Begins a call, or closes the tab when its buyer wants that. */
    begin: (ticket: SignedTicket, place: Resource, charge: Charge) =>
      ticket.isLast ? tabs.close(ticket, place) : tabs.begin(ticket, place, charge),
    figures: tabs.figures,
    stop: tabs.stop,
    keyOf,
    hasRoom: tabs.hasRoom,
    /** Null: none is offered for this token. */
    termsOf: (asset: Address): (Terms & { extra: ReturnType<typeof termsExtra> }) | null => {
      const found = terms.get(asset);
      return found === undefined
        ? null
        : { ...found, extra: termsExtra({ most: found.most, idleSeconds }) };
    },
    /** Opens the tab that a proof has paid for, with its first call. `received`: what the node says it has. */
    open(
      { payload, extra }: { payload: unknown; extra: unknown },
      { id, received }: { id: Hex; received: bigint },
      charge: Charge,
    ): Promise<Drawn> {
      const proof = proofIn(payload);
      const offer = offerIn(extra);
      const payer = parseAddress(proof?.payer);
      if (proof === null || offer === null || payer === null)
        throw new Error('a proof without its parts was redeemed');
      const key = tabKey(proof.secret, offer.tag);
      return tabs.open({ id, key, payer, token: charge.token, received }, charge);
    },
  };
}

type Redeeming = {
  lump: Lump;
  tab: Tab;
  identifier: bigint;
  keyOf(secret: Hex): string;
  terms: ReadonlyMap<Address, Terms>;
};

/** What a further payment has brought; null: it is not there, or not for this tab. */
async function redeemed(
  { facilitator, seller }: Parts,
  { lump, tab, identifier, keyOf, terms }: Redeeming,
): Promise<bigint | null> {
  const paymentId = `${identifier}`;
  // The identifier is of this tab alone, so no offer was made: these are for the form of the question.
  const extra = { paymentId, expires: Math.floor(Date.now() / 1_000) + 60, tag: tab.id };
  const demand = {
    scheme: SCHEME,
    network: seller.network,
    amount: `${terms.get(tab.token)?.least ?? 1n}`,
    asset: tab.token,
    payTo: seller.address,
    maxTimeoutSeconds: 60,
    extra,
  };
  const payload = { payer: lump.payer, paymentId, secret: lump.secret };
  const proof = { x402Version: X402_VERSION, accepted: demand, payload };
  const { success, amount } = await facilitator.settle(proof, demand, keyOf(lump.secret));
  return success ? BigInt(amount ?? 0) : null;
}

/** A call that its tab pays for. */
export function onTab(
  drawing: Drawing,
  { token, seller }: { token: Address; seller: Seller },
): Paying {
  const { tab, payer, price } = drawing;
  const { network } = seller;
  const receiptOf = (amount: { amount?: string }) => {
    const { total, left, lumps } = drawing.standing();
    const said = { total: `${total}`, left: `${left}`, lumps };
    return { success: true, transaction: tab, network, payer, ...amount, tab: said };
  };
  const charge = (cost: bigint) => {
    const amount = drawing.charge(cost);
    const { left } = drawing.standing();
    return { amount, left, receipt: receiptOf({ amount: `${amount}` }) };
  };
  return {
    ...{ token, payer, amount: price, secretHash: tab },
    announced: () => receiptOf({}),
    charge,
    giveBack: () => charge(0n).receipt,
  };
}
