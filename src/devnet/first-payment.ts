/** Opens channels in a line and makes a payment over the nodes' own API, as a person would. */
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { DevnetToken } from './chain/set-up-chain.ts';
import type { DevnetNode } from './network/nodes.ts';
import type { OpenTimeouts } from './options.ts';

export type Party = Pick<DevnetNode, 'name' | 'address' | 'api'>;

/** The deposit and the payment, in the token's smallest unit. */
export const DEPOSIT = 100n * 10n ** 18n;
export const PAYMENT = 5n * 10n ** 18n;
/** In blocks, short enough to wait for a channel's settlement. */
export const SHORT_TIMEOUTS = { settle_timeout: '20', reveal_timeout: '10' };
const SEEN_AFTER_MS = 60_000;

const refused = v.object({ errors: v.unknown() });

/** Each node opens a channel with the next, both deposit, and the first pays the second. */
export async function openLine(
  nodes: readonly Party[],
  { token, timeouts }: { token: DevnetToken; timeouts: OpenTimeouts },
  say: (text: string) => void,
): Promise<void> {
  const pairs = nodes.flatMap((left, index) => {
    const right = nodes[index + 1];
    return right === undefined ? [] : [{ left, right }];
  });
  say(`Opening ${pairs.length} channels`);
  const deposits = [`${DEPOSIT}`, `${DEPOSIT}`] as const;
  await Promise.all(
    pairs.map(({ left, right }) => openChannel(left, right, { token, timeouts, deposits })),
  );
  const [first] = pairs;
  if (first === undefined) return;
  const { left, right } = first;
  const path = `payments/${token.address}/${right.address}`;
  await call(left, 'POST', path, { amount: String(PAYMENT) });
  say(`${left.name} has paid ${right.name} ${PAYMENT / 10n ** 18n} ${token.symbol}`);
}

type Terms = {
  token: Pick<DevnetToken, 'address'>;
  timeouts: OpenTimeouts;
  /** Of `left` and of `right`, in the token's smallest unit. */
  deposits: readonly [string, string];
};

/** Opens the channel and deposits on both sides. Rejects with the reason of the node that refused. */
export async function openChannel(
  left: Party,
  right: Party,
  { token, timeouts, deposits: [total_deposit, other] }: Terms,
): Promise<void> {
  await call(left, 'PUT', 'channels', {
    partner_address: right.address,
    token_address: token.address,
    total_deposit,
    ...timeouts,
  });
  const path = `channels/${token.address}/${left.address}`;
  await seen(right, path);
  if (BigInt(other) > 0n) await call(right, 'PATCH', path, { total_deposit: other });
}

/**
 * Waits until the node sees the channel: each node reads the chain by itself, so the partner may see it a moment later.
 */
async function seen({ api, name }: Party, path: string): Promise<void> {
  const end = performance.now() + SEEN_AFTER_MS;
  while (!(await fetch(`${api}/api/v1/${path}`)).ok) {
    if (performance.now() > end) throw new Error(`${name} does not see its channel`);
    await delay(50);
  }
}

async function call({ name, api }: Party, method: string, path: string, body: object) {
  const response = await fetch(`${api}/api/v1/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.ok) return;
  const answer = v.safeParse(refused, await response.json().catch(() => null));
  const reason = answer.success ? JSON.stringify(answer.output.errors) : 'no reason was given';
  throw new Error(`${name} answered ${response.status} to ${method} /${path}: ${reason}`);
}
