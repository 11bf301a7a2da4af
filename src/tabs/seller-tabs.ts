/**
 * The tabs of a seller with all that they need of its node: payments that open them, further ones, and rests. Whoever sells
 * calls, by the paywall or with the packages of x402, has these.
 */
import type { DeepReadonly, PaymentPayload, SettleResponse } from '@x402/core/types';
import * as Hash from 'ox/Hash';
import type { Log } from '../basics/environment.ts';
import { type Address, isHexOf, parseAddress } from '../basics/hex.ts';
import { toUnits } from '../client/units.ts';
import type { NodeFacilitator } from '../x402/facilitator.ts';
import { offerIn, proofIn, SCHEME, X402_VERSION } from '../x402/offer.ts';
import type { Resource } from '../x402/place.ts';
import type { OfferedTab } from '../x402/price.ts';
import { TAB_OPEN, TOO_MANY_TABS } from '../x402/reasons.ts';
import { type Lump, type SignedTicket, tabKey } from '../x402/ticket.ts';
import { type BookReplica, openBook } from './book.ts';
import { createRests } from './rests.ts';
import type { Charge, Tab } from './tab.ts';
import { createTabs, type Drawing, type Refused } from './tabs.ts';

/** What one payment for a tab is at least, and what may lie on it; in the token's smallest unit. */
export type Terms = { least: bigint; most: bigint };
export type SellerTabsOptions = {
  /** The database of the tabs. */
  file: string;
  terms: ReadonlyMap<Address, Terms>;
  idleSeconds: number;
  seller: { address: Address; network: PaymentPayload['accepted']['network'] };
  /** The seller's node, and a token of it that may pay. */
  node: string;
  token: string | null;
  fetch?: typeof fetch;
  facilitator: Pick<NodeFacilitator, 'settle'>;
  /** Where the tabs are besides the disk; absent: nowhere. */
  copy?: BookReplica | null;
  log: Log;
};
export type SellerTabs = ReturnType<typeof openSellerTabs>;
type Settle = NodeFacilitator['settle'];
type Proof = Parameters<Settle>[0];
type Demand = Parameters<Settle>[1];
type Opened = { ok: true; drawing: Drawing } | { ok: false; reason: Refused | typeof TAB_OPEN };

/** Decimal texts of whole tokens. Null: no payment of the one fits into the other, or the token has not so many digits. */
export function termsOf(least: string, most: string, decimals: number): Terms | null {
  const [low, high] = [least, most].map((text) => toUnits(text, decimals));
  if (typeof low !== 'bigint' || typeof high !== 'bigint' || low === 0n || low > high) return null;
  return { least: low, most: high };
}

/** Throws with what a person can do. */
export function openSellerTabs(options: SellerTabsOptions) {
  const { file, terms, idleSeconds, seller, copy } = options;
  const chainId = BigInt(seller.network.split(':')[1] ?? '');
  const opened = openBook(file, { chainId, payTo: seller.address }, copy);
  if (!opened.ok) throw new Error(opened.message);
  const { book } = opened;
  const now = Date.now;
  const tabs = createTabs({
    ...{ book, idleSeconds, now },
    rests: createRests({ ...options, now }),
    redeem: async (lump, tab, identifier) => {
      const { proof, demand } = lumpQuestion(seller, { lump, tab, identifier });
      const { success, amount } = await redeem(options.facilitator.settle, proof, demand);
      return success ? BigInt(amount ?? 0) : null;
    },
  });

  /** The node tells this file the same again, and another one that it comes too late. */
  function redeem(settle: Settle, proof: Proof, demand: Demand): Promise<SettleResponse> {
    const secret = proofIn(proof.payload)?.secret;
    if (secret === undefined) throw new Error('a proof without its parts came to be redeemed');
    return settle(proof, demand, `tab-${book.instance}-${Hash.sha256(secret, { as: 'Hex' })}`);
  }

  const own = {
    /** Begins a call, or closes the tab when its buyer wants that. */
    begin: async (ticket: SignedTicket, place: Resource, charge: Charge) =>
      ticket.isLast ? tabs.close(ticket, place) : tabs.begin(ticket, place, charge),
    figures: tabs.figures,
    hasRoom: tabs.hasRoom,
    stop: tabs.stop,
    /** Null: none is offered for this token. */
    offeredFor(asset: Address): OfferedTab | null {
      const found = terms.get(asset);
      return found === undefined ? null : { ...found, idleSeconds, token: asset };
    },
    /** Has the payment redeemed that shall open a tab, once however often it is asked. Throws as `settle` does. */
    async redeem(settle: Settle, proof: Proof, demand: Demand): Promise<SettleResponse> {
      const { network } = seller;
      if (own.hasRoom()) return redeem(settle, proof, demand);
      return { success: false, errorReason: TOO_MANY_TABS, transaction: '', network };
    },
    /** Opens the tab that a proof has paid for, with its first call. `settled`: what the node says of it. */
    async open(
      { proof, demand, settled }: { proof: Proof; demand: Demand; settled: Settled },
      charge: Charge,
    ): Promise<Opened> {
      const shown = proofIn(proof.payload);
      const offer = offerIn(proof.accepted.extra);
      const payer = parseAddress(shown?.payer);
      const { transaction: id } = settled;
      if (shown === null || offer === null || payer === null || !isHexOf(id, 32))
        throw new Error('a proof without its parts was redeemed');
      const key = tabKey(shown.secret, offer.tag);
      const received = BigInt(settled.amount ?? demand.amount);
      const drawn = await tabs.open({ id, key, payer, token: charge.token, received }, charge);
      return !drawn.ok && drawn.reason === 'counter_used' ? { ok: false, reason: TAB_OPEN } : drawn;
    },
  };
  return own;
}

type Settled = DeepReadonly<Pick<SettleResponse, 'transaction' | 'amount'>>;
type Shown = { lump: Lump; tab: Tab; identifier: bigint };

/** The year 2100, in seconds since 1970: such a payment has no end of its own. */
const NEVER = 4_102_444_800;

/**
 * How the node is asked for a further payment of a tab: the same question each time, word for word, also by a program that
 * starts anew. To another one the node does not answer what it has redeemed.
 */
function lumpQuestion(
  { network, address }: SellerTabsOptions['seller'],
  { lump, tab, identifier }: Shown,
) {
  const paymentId = `${identifier}`;
  // The identifier is of this tab alone, so no offer was made: these are for the form of the question.
  const extra = { paymentId, expires: NEVER, tag: tab.id };
  const demand = {
    scheme: SCHEME,
    network,
    // Whatever it is: what was paid for the tab is on it.
    amount: '1',
    asset: tab.token,
    payTo: address,
    maxTimeoutSeconds: 60,
    extra,
  };
  const payload = { payer: lump.payer, paymentId, secret: lump.secret };
  return { proof: { x402Version: X402_VERSION, accepted: demand, payload }, demand };
}
