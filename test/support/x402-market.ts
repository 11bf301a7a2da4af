/** A payer's and a seller's node that answer by heart, for calls that are sold and bought: paid at one, known to the other. */
import { createHash, randomBytes } from 'node:crypto';
import { Hono } from 'hono';

export const ASSET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const PAYER = '0xde709f2102306220921060314715629080e2fb77';
export const SELLER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
export const NETWORK = 'eip155:31337';
export const PAYER_URL = 'http://payer';
export const SELLER_URL = 'http://seller';

type Payment = {
  amount: bigint;
  identifier: string;
  secret: string;
  isRedeemed: boolean;
  redemption: string;
};
export type Market = ReturnType<typeof createMarket>;

/** `beforePayment` and `beforeSettle` may answer in the node's place, or throw as a lost connection does. */
export function createMarket() {
  const payments = new Map<string, Payment>();
  const hooks: {
    beforePayment?: () => Response | undefined;
    afterPayment?: () => Response | undefined;
    /** Is told the `Idempotency-Key`. */
    beforeSettle?: (key: string | undefined) => Response | undefined;
    afterSettle?: () => Response | undefined;
    beforeRelease?: () => Response | undefined;
    beforeRest?: () => Response | undefined;
  } = {};
  let redemptions = 0;
  const settled = new Map<string, { asked: string; answer: unknown }>();
  const released: string[] = [];
  const tokens: (string | undefined)[] = [];
  const payer = new Hono();
  payer.post('/api/v1/payments/:token/:target', async (c) => {
    const before = hooks.beforePayment?.();
    if (before !== undefined) return before;
    const key = c.req.header('idempotency-key') ?? '';
    const { amount, identifier } = await c.req.json();
    const { token, target } = c.req.param();
    const secret = `0x${randomBytes(32).toString('hex')}`;
    const payment = payments.get(key) ?? {
      amount: BigInt(amount),
      identifier,
      secret,
      isRedeemed: false,
      redemption: '',
    };
    payments.set(key, payment);
    const after = hooks.afterPayment?.();
    if (after !== undefined) return after;
    return c.json({
      initiator_address: PAYER,
      target_address: target,
      token_address: token,
      amount: `${payment.amount}`,
      identifier,
      secret: payment.secret,
      secret_hash: hashOf(payment.secret),
    });
  });
  const supported = {
    kinds: [{ x402Version: 2, scheme: 'channel', network: NETWORK }],
    extensions: [],
    signers: {},
  };
  // A token with the scope to pay may not ask for this.
  payer.get('/x402/supported', (c) => c.json({ errors: 'no' }, 403));
  payer.get('/inspector/node', (c) => c.json({ chainId: NETWORK.split(':')[1] }));
  payer.get('/api/v1/channels', (c) => c.json([{ token_address: ASSET, state: 'opened' }]));
  const labels = { tokens: [{ address: ASSET, symbol: 'TTT', decimals: 18 }], names: [] };
  payer.get('/inspector/labels', (c) => c.json(labels));
  const seller = new Hono();
  /** What the seller has paid back, by the key of the call. */
  const rests = new Map<string, { amount: bigint; identifier: string; target: string }>();
  seller.post('/api/v1/payments/:token/:target', async (c) => {
    const before = hooks.beforeRest?.();
    if (before !== undefined) return before;
    const { amount, identifier } = await c.req.json();
    const { token, target } = c.req.param();
    const key = c.req.header('idempotency-key') ?? '';
    const rest = rests.get(key) ?? { amount: BigInt(amount), identifier, target };
    rests.set(key, rest);
    const secret = `0x${randomBytes(32).toString('hex')}`;
    const addresses = { initiator_address: SELLER, target_address: target, token_address: token };
    const paid = { amount: `${rest.amount}`, identifier, secret, secret_hash: hashOf(secret) };
    return c.json({ ...addresses, ...paid });
  });
  seller.get('/x402/supported', (c) => c.json(supported));
  seller.get('/api/v1/address', (c) => c.json({ our_address: SELLER }));
  seller.get('/inspector/labels', (c) => c.json(labels));
  seller.post('/x402/settle', async (c) => {
    tokens.push(c.req.header('authorization'));
    const key = c.req.header('idempotency-key');
    const before = hooks.beforeSettle?.(key);
    if (before !== undefined) return before;
    const body = await c.req.json();
    const asked = askedIn(body);
    const known = settled.get(key ?? '');
    // As the node has it: a key is that of one question.
    if (known !== undefined && known.asked !== asked)
      return c.json({ errors: 'no', code: 'key_reused', outcome: 'not_begun' }, 422);
    const answer = known?.answer ?? settle(body);
    if (key !== undefined && Object(answer).success === true) settled.set(key, { asked, answer });
    return hooks.afterSettle?.() ?? c.json(answer);
  });
  seller.post('/x402/release', async (c) => {
    const before = hooks.beforeRelease?.();
    if (before !== undefined) return before;
    const { paymentPayload, redemption } = await c.req.json();
    const payment = paymentOf(paymentPayload.payload);
    if (payment?.redemption !== redemption) throw new Error('another redemption is to be released');
    if (payment !== undefined) payment.isRedeemed = false;
    released.push(paymentPayload.payload.paymentId);
    return c.json({ success: true, network: NETWORK, transaction: '' });
  });

  const paymentOf = ({ paymentId, secret }: { paymentId: string; secret: string }) =>
    [...payments.values()].find((one) => one.identifier === paymentId && one.secret === secret);

  // biome-ignore lint/suspicious/noExplicitAny: what came over HTTP
  function settle({ paymentPayload, paymentRequirements }: any) {
    const payment = paymentOf(paymentPayload.payload);
    const said = { network: NETWORK, payer: PAYER, transaction: '' };
    if (payment === undefined || payment.amount < BigInt(paymentRequirements.amount))
      return { ...said, success: false, errorReason: 'payment_not_found' };
    if (payment.isRedeemed) return { ...said, success: false, errorReason: 'duplicate_settlement' };
    payment.isRedeemed = true;
    payment.redemption = `${++redemptions}`;
    const extra = { redemption: payment.redemption };
    const amount = `${payment.amount}`;
    return { ...said, success: true, transaction: hashOf(payment.secret), amount, extra };
  }

  /** Reaches both nodes, and all else over the network. */
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.url.startsWith(PAYER_URL)) return payer.fetch(request);
    if (request.url.startsWith(SELLER_URL)) return seller.fetch(request);
    return globalThis.fetch(request);
  };
  return { fetch, hooks, payments, rests, released, tokens, payer, seller };
}

/** What of a question to settle makes it another one. */
// biome-ignore lint/suspicious/noExplicitAny: what came over HTTP
function askedIn({ paymentPayload: { accepted, payload }, paymentRequirements }: any): string {
  const { extra: _, ...demanded } = paymentRequirements;
  const { extra, ...rest } = accepted;
  const { paymentId, expires } = extra;
  return JSON.stringify([demanded, rest, paymentId, expires, payload]);
}

const hashOf = (secret: string) =>
  `0x${createHash('sha256')
    .update(Buffer.from(secret.slice(2), 'hex'))
    .digest('hex')}`;
