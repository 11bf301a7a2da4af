/** One way to pay for a route, as the middlewares of x402 take it. */
import type { PaymentOption } from '@x402/core/http';
import { SCHEME } from './offer.ts';

export type ChannelPriceOptions = {
  /** The chain of the seller's node, such as `eip155:1`. */
  network: PaymentOption['network'];
  /** The address of the seller's node. */
  payTo: string;
  /** How long an offer can be paid and used; default 60. */
  seconds?: number;
};

/** `price('0.0001')` is for `accepts` of a route: in whole tokens of `channelServer`, or `{ asset, amount }`, or a function. */
export function channelPrice({ network, payTo, seconds = 60 }: ChannelPriceOptions) {
  return (price: PaymentOption['price']): PaymentOption => ({
    ...{ scheme: SCHEME, network, payTo, price },
    maxTimeoutSeconds: seconds,
  });
}
