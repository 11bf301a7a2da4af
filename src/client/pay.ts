/**
 * A payment that is asked for until it is known what became of it. Each time it has the same `Idempotency-Key`, so that the
 * node pays once, however often a connection is lost or a node starts anew in between.
 */
import { type ClientOptions, createClient } from './api.ts';
import { insist, newKey, type Undone } from './insist.ts';

/**
 * `amount`: in the token's smallest unit. `identifier`: a tag for the target, 1 to 2^64 - 1. `isFeeIncluded`: what mediators
 * take comes out of the amount; default false, it comes on top.
 */
export type PayOrder = {
  token: string;
  target: string;
  amount: bigint;
  identifier?: bigint;
  isFeeIncluded?: boolean;
};
export type PayOptions = ClientOptions & {
  /** Names this payment among all of the caller: with the key of an earlier process, its payment is gone on with. */
  key?: string;
  /** Milliseconds after which nothing more is asked; default a minute. */
  timeoutMs?: number;
  /** Ends the asking, not the payment. */
  signal?: AbortSignal;
};
/** The target has the amount, what was left of it when the fees came out of it. */
export type Paid = {
  ok: true;
  amount: bigint;
  identifier: bigint;
  secret: string;
  secretHash: string;
  /** The address of the node that paid. */
  payer: string;
};
export type Unpaid = { ok: false; key: string } & Undone;

const TIMEOUT_MS = 60_000;

/** Never throws: whatever happens is told by what it answers. */
export async function pay(
  url: string,
  { token, target, amount, identifier, isFeeIncluded = false }: PayOrder,
  { key = newKey(), timeoutMs = TIMEOUT_MS, signal, ...options }: PayOptions = {},
): Promise<Paid | Unpaid> {
  const { payments } = createClient(url, options);
  const tag = identifier === undefined ? {} : { identifier: `${identifier}` };
  const fees = isFeeIncluded ? { fee_included: true } : {};
  const json = { amount: `${amount}`, ...tag, ...fees };
  const order = { param: { token, partner: target }, json };
  const told = await insist(
    { key, timeoutMs, signal },
    (call) => payments[':token'][':partner'].$post(order, call),
    (answer) => (answer.status === 200 ? answer.json() : null),
  );
  if (!told.ok) {
    const { outcome, code, reason, identifier } = told;
    return { ok: false, outcome, code, reason, identifier, key };
  }
  const paid = told.value;
  return {
    ok: true,
    amount: BigInt(paid.amount),
    identifier: BigInt(paid.identifier),
    secret: paid.secret,
    secretHash: paid.secret_hash,
    payer: paid.initiator_address,
  };
}
