/**
 * The scheme `channel` for a client: its node pays, and the secret that the node learns by it is the proof. Calls are made
 * through its `fetch`, which sees who offered what, and sends a proof nowhere else; or it is told by `offered`.
 */
import type { PaymentRequirements, SchemeNetworkClient } from '@x402/core/types';
import * as Hash from 'ox/Hash';
import { isHexOf, parseAddress } from '../basics/hex.ts';
import type { ClientOptions } from '../client/api.ts';
import { pay } from '../client/pay.ts';
import { type Budget, type Caps, createBudget, hostOf } from './budget.ts';
import { createHeldTabs, type HeldTabs, type LumpOrder, type TabCaps } from './held-tabs.ts';
import { askNetwork } from './network.ts';
import { amountIn, offerIn, SCHEME, X402_VERSION } from './offer.ts';
import { noteOutsideOffer, type OutsideOffer } from './offered.ts';
import { createPaidFetch } from './paid-fetch.ts';
import { inBothDialects } from './payment-fetch.ts';
import {
  createPurchases,
  LEAST_LEFT_MS,
  leftMs,
  type Offered,
  type Purchase,
  type Purchases,
  payloadOf,
  proofLength,
  proofOf,
} from './purchases.ts';
import { closeTab } from './tab-fetch.ts';
import { isTabOffer } from './tab-terms.ts';

export type ChannelClientOptions = ClientOptions &
  Caps &
  TabCaps & {
    /** The API of the node that pays, such as http://127.0.0.1:5001. */
    node: string;
    /** The address of the token that it pays with. */
    asset: string;
    /** The chain of the node, such as `eip155:1`; without it the node is asked. */
    network?: string;
    /**
     * For how many milliseconds a call waits when what it has paid is still under way to the seller; default two minutes. The
     * next call of the same resource goes on with the same proof.
     */
    patienceMs?: number;
    /** Told of each payment when it is made. */
    onPaid?(bought: Bought): void;
    /** Milliseconds since 1970. */
    now?: () => number;
  };
/** `resource`: method and URL. `amount`: in the smallest unit, as the seller demanded it. `identifier`: of the payment. */
export type Bought = { resource: string; amount: bigint; identifier: bigint; secretHash: string };
export type ChannelClient = SchemeNetworkClient & {
  fetch: typeof fetch;
  /** Has all sellers pay back what is left of the tabs; the sum, in the token's smallest unit. */
  closeTabs(): Promise<bigint>;
  /**
   * For offers that came on another way than `fetch`: from now on they can be paid, under the same caps and bounds. Who pays
   * them so sends the proof itself, and again after a failure: each offer is paid once. Throws when it is none.
   */
  offered(offer: OutsideOffer): void;
};

/** Milliseconds that a payment may take. */
const LONGEST_PAYMENT_MS = 60_000;
const MOST_LEFT_MS = 86_400_000;
const PATIENCE_MS = 120_000;
/** Characters. Proxies take 8 KiB for a header, servers 16 KiB for the URL and all headers: the proof repeats the URL. */
const LONGEST_PROOF = 8_000;
/** Of the token, for `x402Client`, which caps tokens that it knows at one whole one: the caps given here shall hold. */
const NO_CAP_DECIMALS = 77;

export function channelClient(options: ChannelClientOptions): ChannelClient {
  const { now = Date.now } = options;
  const asset = parseAddress(options.asset);
  if (asset === null) throw new Error(`the asset is no address: ${options.asset}`);
  const purchases = createPurchases(now);
  const buying: Buying = {
    ...options,
    asset,
    now,
    purchases,
    budget: createBudget(options, now),
    network: networkOf(options),
  };
  const tabs = createHeldTabs({ ...options, now, pay: (order) => lumpPaid(buying, order) });
  const parts = {
    fetch: inBothDialects(options.fetch ?? globalThis.fetch),
    tabs,
    purchases,
    finish: (purchase: Purchase) => finish(buying, purchase),
    buyTab: (offered: Offered) => tabBought(buying, tabs, offered),
    patienceMs: options.patienceMs ?? PATIENCE_MS,
  };
  return {
    scheme: SCHEME,
    fetch: createPaidFetch(parts),
    async closeTabs() {
      const rests = await Promise.all(tabs.all().map((tab) => closeTab(parts, tab)));
      return rests.reduce<bigint>((sum, rest) => sum + (rest ?? 0n), 0n);
    },
    offered: (offer) => noteOutsideOffer(purchases, offer),
    findDefaultAsset: (address) =>
      parseAddress(address) === asset
        ? { asset: address, symbol: address, decimals: NO_CAP_DECIMALS }
        : undefined,
    async createPaymentPayload(x402Version, demand) {
      if (x402Version !== X402_VERSION) throw new Error(`x402 version ${x402Version} is not known`);
      if (isTabOffer(demand.extra)) return refuse('a tab is opened by fetch alone');
      const { offered, amount } = await checked(buying, demand);
      const purchase = await bought(buying, offered, { amount, most: buying.most });
      if (purchase.paid === null) throw new Error('it is not paid');
      const { extensions } = payloadOf(purchase.offered, purchase.paid);
      const payload = proofOf(purchase.offered.offer, purchase.paid);
      return { x402Version, payload, ...(extensions === undefined ? {} : { extensions }) };
    },
  };
}

type Buying = Omit<ChannelClientOptions, 'network'> & {
  asset: string;
  now: () => number;
  purchases: Purchases;
  budget: Budget;
  network(): Promise<string>;
};

/** Asks the node once; after a failure again. */
function networkOf({ network, ...options }: ChannelClientOptions): () => Promise<string> {
  let asked: Promise<string> | null = network === undefined ? null : Promise.resolve(network);
  return () => {
    asked ??= askNetwork(options).catch((error: unknown) => {
      asked = null;
      throw error;
    });
    return asked;
  };
}

/**
 * Pays for a tab; null: nothing is paid, as when it is not within the caps or the offer is of no use here. Throws when it may
 * still be paid.
 */
async function tabBought(
  buying: Buying,
  tabs: HeldTabs,
  offered: Offered,
): Promise<Purchase | null> {
  if (isTooDear(buying, offered) || buying.purchases.purchase(offered.offer.tag) !== undefined)
    return null;
  try {
    await checked(buying, offered.demand);
  } catch {
    return null;
  }
  const begun = tabs.beginToOpen(offered.demand, new URL(offered.url).origin);
  if (begun === null) return null;
  const { amount, giveBack } = begun;
  try {
    return await bought(buying, offered, { amount, most: amount, giveBack });
  } catch (error) {
    if (buying.purchases.purchase(offered.offer.tag) !== undefined) throw error;
    giveBack();
    return null;
  }
}

/** The payment opens a tab with this call, which may cost no more than others. */
function isTooDear({ most }: Buying, { required, demand }: Offered): boolean {
  const { scheme, asset } = demand;
  const prices = required.accepts
    .filter((one) => one.scheme === scheme && one.asset === asset && !isTabOffer(one.extra))
    .map(({ amount }) => amountIn(amount));
  return !prices.some((price) => price !== null && price <= most);
}

/** A further payment for a tab. */
async function lumpPaid(
  { node, token, fetch, asset, budget, onPaid }: Buying,
  { tab: { demand, place }, amount, identifier, key }: LumpOrder,
): ReturnType<Parameters<typeof createHeldTabs>[0]['pay']> {
  const reserved = budget.reserve(hostOf(place.url), amount, amount);
  if (!reserved.ok) return null;
  const order = { token: asset, target: demand.payTo, amount, identifier };
  const access = {
    ...(token === undefined ? {} : { token }),
    ...(fetch === undefined ? {} : { fetch }),
  };
  const paid = await pay(node, order, { key, timeoutMs: LONGEST_PAYMENT_MS, ...access });
  if (paid.ok && isHexOf(paid.secret, 32) && isHexOf(paid.payer, 20)) {
    const { secretHash } = paid;
    onPaid?.({ resource: `${place.method} ${place.url}`, amount, identifier, secretHash });
    return { secret: paid.secret, payer: paid.payer };
  }
  if (paid.ok || paid.outcome === 'pending') throw new Error('it may still be paid');
  reserved.giveBack();
  return null;
}

/** Pays the offer, or goes on with its payment. Throws when it is refused here, or not paid. */
async function bought(
  buying: Buying,
  offered: Offered,
  { amount, most, giveBack }: { amount: bigint; most: bigint; giveBack?(): void },
): Promise<Purchase> {
  const { purchases, budget } = buying;
  const known = purchases.purchase(offered.offer.tag);
  // The same offer came twice, as from a cache: it is paid once, and its proof is for one call.
  if (known !== undefined) throw new Error('refused: this offer is paid already');
  const reserved = budget.reserve(hostOf(offered.url), amount, most);
  if (!reserved.ok) throw new Error(`refused: ${reserved.reason}`);
  const purchase: Purchase = {
    offered,
    amount,
    paid: null,
    isInUse: true,
    giveBack() {
      reserved.giveBack();
      giveBack?.();
    },
  };
  purchases.note(purchase);
  try {
    await finish(buying, purchase);
  } catch (error) {
    purchase.isInUse = false;
    throw error;
  }
  return purchase;
}

/** Has it paid. Throws when it is not, or when that is not known; nothing is kept of what is certainly not paid. */
async function finish(buying: Buying, purchase: Purchase): Promise<void> {
  const { node, token, fetch, asset, now, purchases, onPaid } = buying;
  const { offered, amount } = purchase;
  const { demand, offer, resource } = offered;
  const told = await pay(
    node,
    { token: asset, target: demand.payTo, amount, identifier: BigInt(offer.paymentId) },
    {
      key: keyOf(offered),
      timeoutMs: Math.min(leftMs(offer, now()), LONGEST_PAYMENT_MS),
      ...(token === undefined ? {} : { token }),
      ...(fetch === undefined ? {} : { fetch }),
    },
  );
  if (told.ok) {
    purchase.paid = told;
    onPaid?.({ resource, amount, identifier: told.identifier, secretHash: told.secretHash });
    return;
  }
  if (told.outcome === 'pending')
    throw new Error(`it may still be paid, ask again for it: ${told.reason}`);
  purchases.drop(purchase);
  purchase.giveBack();
  throw new Error(`nothing is paid: ${told.reason}`);
}

type Checked = { offered: Offered; amount: bigint };

async function checked(buying: Buying, demand: PaymentRequirements): Promise<Checked> {
  const offer = offerIn(demand.extra);
  if (offer === null) return refuse('it is no offer of a channel');
  const offered = buying.purchases.offer(offer.tag);
  if (offered === undefined)
    return refuse('the offer did not come through channel.fetch, nor by channel.offered');
  if (offered.isMoved)
    return refuse(
      `${offered.url} is answered by another address, where its proof is not sent: ask there`,
    );
  const amount = amountIn(demand.amount);
  if (amount === null || parseAddress(demand.payTo) === null)
    return refuse('it names no amount and payee');
  if (parseAddress(demand.asset) !== buying.asset)
    return refuse(`it is to be paid in ${demand.asset}, not in ${buying.asset}`);
  const network = await buying.network();
  if (demand.network !== network)
    return refuse(`it is to be paid on ${demand.network}, not on ${network}`);
  if (proofLength(offered) > LONGEST_PROOF)
    return refuse('its proof would be longer than servers take, as that of a long URL is');
  const left = leftMs(offer, buying.now());
  // No node redeems a payment for longer, and what is kept here would be kept as long.
  if (left > MOST_LEFT_MS) return refuse('the offer lasts for more than a day');
  if (left < LEAST_LEFT_MS)
    return refuse('less than 5 s of the offer are left, by the clock of this machine');
  return { offered, amount };
}

function refuse(reason: string): never {
  throw new Error(`refused: ${reason}`);
}

/** Of the whole offer: under it the node pays it once, also when another process asks. */
function keyOf({ demand, offer }: Offered): string {
  const { payTo, amount, asset, network } = demand;
  const { paymentId, tag } = offer;
  const words = JSON.stringify([paymentId, tag, payTo, amount, asset, network]);
  const digest = Hash.sha256(new TextEncoder().encode(words), { as: 'Hex' });
  return `x402-${digest.slice(2)}`;
}
