/** The scheme `Payment` as the package mppx speaks it, with a method `channel` for both sides. */
import { createHash } from 'node:crypto';
import type { PaymentRequirements } from '@x402/core/types';
import { Credential, Errors, Method, z } from 'mppx';
import { Fetch } from 'mppx/client';
import { Mppx } from 'mppx/server';
import type { ChannelClient } from '../../src/x402/client.ts';
import { nodeFacilitator } from '../../src/x402/facilitator.ts';
import { ASSET, type Market, NETWORK, SELLER, SELLER_URL } from './x402-market.ts';

const details = z.object({
  maxTimeoutSeconds: z.number(),
  network: z.string(),
  paymentId: z.string(),
  tag: z.string(),
});
const channelMethod = Method.from({
  name: 'channel',
  intent: 'charge',
  schema: {
    credential: {
      payload: z.object({ payer: z.string(), paymentId: z.string(), secret: z.string() }),
    },
    request: z.object({
      amount: z.string(),
      currency: z.string(),
      methodDetails: z.optional(details),
      recipient: z.string(),
    }),
  },
});
type Request = z.output<typeof channelMethod.schema.request>;

/** As x402 says it. */
function demandOf(
  { amount, currency, recipient, methodDetails }: Request,
  expires = '',
): PaymentRequirements {
  const { maxTimeoutSeconds, paymentId, tag } = details.parse(methodDetails);
  return {
    scheme: 'channel',
    network: NETWORK,
    ...{ amount, asset: currency, payTo: recipient, maxTimeoutSeconds },
    extra: { paymentId, expires: Date.parse(expires) / 1_000, tag },
  };
}

/** The `fetch` of mppx, which pays for calls of this URL by the node of `channel`: each challenge once. */
export function mppxBuyer(
  channel: ChannelClient,
  url: string,
  { method: verb = 'GET', fetch }: { method?: string; fetch?: typeof globalThis.fetch } = {},
) {
  const bought = new Map<string, Promise<unknown>>();
  async function buy(demand: PaymentRequirements): Promise<unknown> {
    const required = { x402Version: 2, resource: { url }, accepts: [demand] };
    channel.offered({ method: verb, url, required });
    return (await channel.createPaymentPayload(2, demand)).payload;
  }
  const method = Method.toClient(channelMethod, {
    async createCredential({ challenge }) {
      const demand = demandOf(challenge.request, challenge.expires);
      const paid = bought.get(challenge.id) ?? buy(demand);
      bought.set(challenge.id, paid);
      return Credential.serialize({ challenge, payload: await paid });
    },
  });
  return Fetch.from({ methods: [method], ...(fetch === undefined ? {} : { fetch }) });
}

/** A server of mppx that sells for 0.0001; `answer`: what it sells. */
export function mppxServer(market: Market, answer: () => Response, requiresAuth = false) {
  const facilitator = nodeFacilitator({ node: SELLER_URL, fetch: market.fetch, timeoutMs: 1_000 });
  let offers = 0;
  const fresh = () => {
    const paymentId = `${++offers}`;
    const tag = `0x${createHash('sha256').update(paymentId).digest('hex')}`;
    return { maxTimeoutSeconds: 60, network: NETWORK, paymentId, tag };
  };
  const method = Method.toServer(channelMethod, {
    request: ({ request, credential }) => {
      const { methodDetails } = channelMethod.schema.request.parse(
        credential?.challenge.request ?? { ...request, methodDetails: fresh() },
      );
      return methodDetails === undefined ? request : { ...request, methodDetails };
    },
    async verify({ credential: { challenge, payload } }) {
      const accepted = demandOf(challenge.request, challenge.expires);
      const proof = { x402Version: 2, accepted, payload };
      const settled = await facilitator.settle(proof, accepted);
      if (!settled.success)
        throw new Errors.VerificationFailedError({ reason: settled.errorReason ?? '' });
      const { transaction: reference } = settled;
      const timestamp = new Date().toISOString();
      return { method: 'channel', reference, status: 'success', timestamp };
    },
  });
  const realm = 'shop.example';
  const mppx = Mppx.create({ methods: [method], secretKey: 'k'.repeat(32), realm, requiresAuth });
  return async (request: globalThis.Request): Promise<Response> => {
    const sold = await mppx.charge({ amount: `${10n ** 14n}`, currency: ASSET, recipient: SELLER })(
      request,
    );
    return sold.status === 402 ? sold.challenge : sold.withReceipt(answer());
  };
}
