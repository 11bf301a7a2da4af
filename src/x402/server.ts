/**
 * The scheme `channel` for a server: makes the offer of each 402, and knows its own offers again. Nothing is kept here;
 * what was paid and redeemed, the seller's node knows.
 */
import type { PaymentRequirements, SchemeNetworkServer } from '@x402/core/types';
import type { NodeFacilitator } from './facilitator.ts';
import {
  drawPaymentId,
  OFFER_FIELDS,
  type Offer,
  OUTLASTS_MS,
  offerIn,
  proofIn,
  SCHEME,
} from './offer.ts';
import { type Resource, resourcePlace } from './place.ts';
import { type Asset, CALL_FLOW, CALL_PRICE, priceOf, TAB_FLOW } from './price.ts';
import { PURCHASE_REASONS, TOO_MANY_UNSERVED } from './reasons.ts';
import { createTabServer, type ServerTabs } from './tab-server.ts';
import { isTabOffer } from './tab-terms.ts';
import { type Bound, createTags, type OfferTags } from './tags.ts';
import { createUnservedBounds, takenBack, type UnservedBounds } from './unserved.ts';

export type ChannelServerOptions = {
  /** 32 bytes or more, also as hexadecimal text. With another key, as after a start without one, no earlier offer is known. */
  key: Uint8Array | string;
  /** Prices that are no more than a number, such as '0.0001', are in whole ones of this. */
  asset?: Asset;
  /** How clients reach this server, when that differs from what the server sees: `https://api.example`, also with a path. */
  publicUrl?: string;
  /** Told when a paid call was answered 400 or above, so that the payer may ask again with the same proof. */
  node?: Pick<NodeFacilitator, 'release'>;
  /** What buyers pay ahead, of `openTabs`; without it each call is paid by itself. */
  tabs?: ServerTabs;
  /**
   * Whether a payer of many calls that were not charged is refused for a while (`too_many_unserved`); default true. False for
   * a server that sees to it itself.
   */
  limitsUnserved?: boolean;
  /** Milliseconds since 1970. */
  now?: () => number;
};
type Judged = Parameters<NonNullable<SchemeNetworkServer['schemeHooks']>['onBeforeVerify'] & {}>[0];
type Parts = {
  tabs: ServerTabs | null;
  tags: OfferTags;
  publicUrl: string | null;
  now: () => number;
  unserved: UnservedBounds | null;
};

export function channelServer(options: ChannelServerOptions): SchemeNetworkServer {
  const { key, asset, node, now = Date.now } = options;
  const publicUrl = options.publicUrl?.replace(/\/+$/, '') ?? null;
  const unserved = (options.limitsUnserved ?? true) ? createUnservedBounds(now) : null;
  const tabs = options.tabs ?? null;
  const parts = { tabs, tags: createTags(key), publicUrl, now, unserved };
  const judge = async (context: Judged) => {
    const reason = refusalOf(parts, context);
    return reason === null ? undefined : { abort: true as const, reason };
  };
  const released = new WeakSet<object>();
  const onTab = createTabServer({
    ...{ tabs, publicUrl, unserved },
    refusalOf: (context) => refusalOf(parts, context),
  });
  return {
    scheme: SCHEME,
    defaultAssetTransferMethod: 'default',
    // The payment is made when the client comes with its proof: it is redeemed before anything is done for it.
    paymentFlows: { default: { supported: [CALL_FLOW, TAB_FLOW], default: CALL_FLOW } },
    dynamicExtraFields: [...OFFER_FIELDS, CALL_PRICE],
    schemeHooks: {
      onBeforeVerify: async (context) =>
        onTab.concerns(context) ? onTab.onBeforeVerify(context) : judge(context),
      onAfterVerify: onTab.onAfterVerify,
      async onBeforeSettle(context) {
        if (onTab.concerns(context)) return onTab.onBeforeSettle(context);
        return context.phase === 'cancel'
          ? { skip: true as const, result: takenBack(partiesOf(context)) }
          : judge(context);
      },
      async onAfterSettle(context) {
        if (context.phase !== 'cancel' && !onTab.concerns(context))
          unserved?.noteCustomer(payerIn(context.paymentPayload));
      },
      async onVerifiedPaymentCanceled(context) {
        if (node === undefined || onTab.concerns(context)) return;
        if (!context.settledPhases.includes('before-handler')) return;
        unserved?.begin(payerIn(context.paymentPayload))?.end('uncharged');
        // Throws when it does not reach the node: then the payer has lost the payment, and its receipt says so.
        await node.release(context.paymentPayload, context.requirements);
        released.add(context);
      },
    },
    // Nothing is settled then: the receipt would say that the payment is used up.
    settleOnCancel: (context) =>
      released.has(context) || onTab.concerns(context) ? context.requirements : undefined,
    parsePrice: async (price) => priceOf(price, asset),
    getAssetDecimals: (address) =>
      asset !== undefined && isSame(address, asset.address) ? asset.decimals : undefined,
    enhancePaymentRequirements: async (requirements) => requirements,
    async enrichPaymentRequiredResponse({ requirements, transportContext }) {
      const place = resourcePlace(transportContext, publicUrl);
      // Without a place, as over another transport than HTTP, no tag could be checked.
      if (place === null) return undefined;
      return requirements.map((one) => offered(parts, one, place));
    },
  };
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function offered(
  { tabs, tags, now }: Parts,
  one: PaymentRequirements,
  place: Resource,
): PaymentRequirements {
  // This is called once for each way to pay, with all of them.
  if (one.scheme !== SCHEME || offerIn(one.extra) !== null) return one;
  // The packages let no offer be taken out: without its tag nobody can pay it.
  if (isTabOffer(one.extra) && tabs?.hasRoom() === false) return one;
  const paymentId = drawPaymentId();
  const expires = Math.floor(now() / 1_000) + one.maxTimeoutSeconds;
  const tag = tags.tagOf(boundOf(one, { paymentId, expires }, place));
  return { ...one, extra: { ...one.extra, paymentId, expires, tag } };
}

type Demand = Pick<PaymentRequirements, 'amount' | 'asset' | 'payTo' | 'network' | 'extra'>;

/** What the tag of an offer is made of. */
export function boundOf(
  { amount, asset, payTo, network, extra }: Demand,
  { paymentId, expires }: Pick<Offer, 'paymentId' | 'expires'>,
  { method, url }: Resource,
): Bound {
  const tab = isTabOffer(extra) ? JSON.stringify(extra['tab']) : null;
  return { paymentId, method, url, amount, asset, payTo, network, expires, tab };
}

/** Never throws: the resource server takes a hook that does for one that agrees. */
function refusalOf(parts: Parts, context: Judged): string | null {
  try {
    return judged(parts, context);
  } catch {
    return PURCHASE_REASONS.malformed;
  }
}

function judged({ tags, publicUrl, now, unserved }: Parts, context: Judged): string | null {
  const { paymentPayload, requirements, transportContext } = context;
  const offer = offerIn(paymentPayload.accepted.extra);
  const proof = proofIn(paymentPayload.payload);
  if (offer === null || proof === null || proof.paymentId !== offer.paymentId)
    return PURCHASE_REASONS.malformed;
  const place = resourcePlace(transportContext, publicUrl);
  if (place === null) return PURCHASE_REASONS.foreign;
  if (!tags.isTagOf(offer.tag, boundOf(requirements, offer, place)))
    return PURCHASE_REASONS.foreign;
  if (offer.expires * 1_000 + OUTLASTS_MS <= now()) return PURCHASE_REASONS.expired;
  return unserved?.isOver(proof.payer) ? TOO_MANY_UNSERVED : null;
}

const payerIn = ({ payload }: Judged['paymentPayload']): string => proofIn(payload)?.payer ?? '';

const partiesOf = ({
  paymentPayload,
  requirements: { network },
}: Pick<Judged, 'paymentPayload' | 'requirements'>) => ({
  network,
  payer: payerIn(paymentPayload),
});
