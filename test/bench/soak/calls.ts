/** Calls that are made until it is known what became of them, and what is kept for when that takes too long. */
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { insist, newKey } from '../../../src/client/insist.ts';
import { pay } from '../../../src/client/pay.ts';
import type { Draw } from '../../../src/simulation/world/randomness.ts';
import type { Deed } from './books.ts';
import type { Node } from './machine.ts';
import type { Setting } from './setting.ts';

export type Channel = v.InferOutput<typeof channelShape>;

const amount = v.pipe(
  v.string(),
  v.transform((digits) => BigInt(digits)),
);
export const channelShape = v.object({
  channel_identifier: v.string(),
  partner_address: v.string(),
  balance: amount,
  total_deposit: amount,
  total_withdraw: amount,
  state: v.string(),
});

/** How long one call is asked for while nodes die. */
const PATIENCE_MS = 120_000;
/** Of a question that changes nothing. */
const READ_MS = 10_000;

/** Waits, or until it is over. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/** As random, but a little longer than the work itself. */
export const drawKey = (draw: Draw) => Buffer.from(draw.bytes(16)).toString('hex');

export type Order = { from: Node; to: Node; amount: bigint; identifier: bigint };
type Asked = { signal: AbortSignal; key?: string; timeoutMs?: number };

/** Pays once, whatever dies meanwhile; answers why it did not, or null. */
export async function payOnce(
  { recorder, world }: Setting,
  { from, to, amount: units, identifier }: Order,
  { signal, key = newKey(), timeoutMs = PATIENCE_MS }: Asked,
): Promise<string | null> {
  const order = { token: world.token, target: to.address, amount: units, identifier };
  const options = { key, timeoutMs, signal, fetch: recorder.fetchFor({ node: from.name }) };
  const paid = await pay(from.url(), order, options);
  return paid.ok ? null : `${paid.outcome}: ${paid.reason}`;
}

/** A call that changes a channel, made until it is known what became of it. Null: it was refused, or nobody knows. */
export async function change(
  { recorder }: Setting,
  node: Node,
  { method, path, json }: { method: string; path: string; json: unknown },
  signal: AbortSignal,
): Promise<Channel | null> {
  const call = recorder.fetchFor({ node: node.name });
  const told = await insist(
    { key: newKey(), timeoutMs: PATIENCE_MS, signal },
    ({ headers, init }) =>
      call(`${node.url()}/api/v1${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(json),
        ...init,
      }),
    (answer) =>
      answer.ok ? answer.json().then((body: unknown) => v.parse(channelShape, body)) : null,
  );
  return told.ok ? told.value : null;
}

/** What the node knows of the channel; undefined: it does not answer now; null: there is none. */
export async function channelOf(
  { world }: Setting,
  node: Node,
  partner: Node,
): Promise<Channel | null | undefined> {
  const body = await read(node, `/channels/${world.token}/${partner.address}`);
  if (body === undefined || body === null) return body;
  return v.parse(channelShape, body);
}

/** Undefined: the node does not answer now. Null: it answers 404. */
export async function read(node: Node, path: string): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(READ_MS);
    const answer = await fetch(`${node.url()}/api/v1${path}`, { signal });
    if (answer.status === 404) return null;
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

/** Empty: nobody answers there. */
export const textAt = (url: string): Promise<string> =>
  fetch(url, { signal: AbortSignal.timeout(READ_MS) })
    .then((answer) => answer.text())
    .catch(() => '');

export const deed = (event: Deed['event'], channel: Channel, rest: Partial<Deed> = {}): Deed => ({
  event,
  channel: channel.channel_identifier,
  party: null,
  total: null,
  ...rest,
});
