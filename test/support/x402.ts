/** Asks a node as a server that sells asks its facilitator. */
import type { Address, Hex, Secret } from '../../src/basics/hex.ts';
import { createApp } from '../../src/http/app.ts';
import type { RunningNode } from '../../src/node/start.ts';

/** What was offered and paid for. `expires`: seconds since 1970. */
export type Offer = {
  asset: Address;
  payTo: Address;
  payer: Address;
  secret: Secret;
  paymentId: bigint;
  amount: bigint;
  expires: number;
  chainId: bigint;
};
/** The parts of a body that a test writes otherwise. */
export type Changes = {
  required?: Record<string, unknown>;
  accepted?: Record<string, unknown>;
  extra?: Record<string, unknown>;
  payload?: Record<string, unknown>;
  [field: string]: unknown;
};
export type Answer = { status: number; body: Record<string, unknown> };

const tag = (byte: string): Hex => `0x${byte.repeat(32)}`;

/** The body of `/verify`, `/settle` and `/release`: a server makes a fresh offer for each request. */
export function bodyOf(offer: Offer, changes: Changes = {}) {
  const { required, accepted, extra, payload, ...others } = changes;
  const { asset, payTo, payer, secret, amount, expires, chainId } = offer;
  const paymentId = String(offer.paymentId);
  const demand = {
    scheme: 'channel',
    network: `eip155:${chainId}`,
    amount: String(amount),
    asset,
    payTo,
    maxTimeoutSeconds: 60,
  };
  const fresh = { paymentId: '1', expires: expires + 9, tag: tag('00'), node: 'http://node' };
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource: { url: 'http://shop/report' },
      accepted: { ...demand, ...accepted, extra: { paymentId, expires, tag: tag('aa'), ...extra } },
      payload: { payer, paymentId, secret, ...payload },
    },
    paymentRequirements: { ...demand, ...required, extra: fresh },
    ...others,
  };
}

/** Both sides name the same other demand. */
export const demanding = (parts: Record<string, unknown>): Changes => ({
  required: parts,
  accepted: parts,
});

export async function askX402(
  node: RunningNode,
  path: 'verify' | 'settle' | 'release',
  body: unknown,
  key?: string,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const answer = await createApp({ node }).request(`/x402/${path}`, {
    method: 'POST',
    headers: key === undefined ? headers : { ...headers, 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: Object(await answer.json()) };
}
