/** Who pays all the time: payers over the API, direct ones and mediated ones in both directions, and buyers of the shop. */
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import type { Draw } from '../../../src/simulation/world/randomness.ts';
import { channelClient } from '../../../src/x402/client.ts';
import { TOKENS } from '../../support/processes.ts';
import { drawKey, pause, payOnce } from './calls.ts';
import type { Setting } from './setting.ts';

const LEAST = 10n ** 15n;
const MOST = 9n * 10n ** 15n;
/** Part of the payments that have a key. */
const KEYED = 0.85;
const LONGEST_REST_MS = 500;
const CAP = 1_000_000n * TOKENS;
/** Of one item, which a dead node may hold up. */
const BUYING_MS = 180_000;

let identifiers = 0n;
/** No two payments of a soak have one. */
export const nextIdentifier = (): bigint => ++identifiers;

/** `over`: nothing new is begun. `stopped`: nothing is waited for any more. */
export type Time = { over: AbortSignal; stopped: AbortSignal };

/** Pays until it is over, one payment after the other. */
export async function payAlways(
  setting: Setting,
  draw: Draw,
  { over, stopped }: Time,
): Promise<void> {
  const { nodes, recorder, world } = setting;
  while (!over.aborted) {
    const from = draw.pick(nodes);
    const to = draw.pick(nodes.filter((one) => one !== from));
    const amount = draw.bigint(LEAST, MOST);
    const identifier = nextIdentifier();
    const key = drawKey(draw);
    if (draw.happens(KEYED)) {
      await payOnce(setting, { from, to, amount, identifier }, { signal: stopped, key });
    } else {
      // As a caller that does not ask again, and may never know.
      const call = recorder.fetchFor({ node: from.name });
      const answer = await call(`${from.url()}/api/v1/payments/${world.token}/${to.address}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ amount: String(amount), identifier: String(identifier) }),
        signal: stopped,
      }).catch(() => null);
      await answer?.text().catch(() => '');
    }
    await pause(draw.integer(0, LONGEST_REST_MS), over);
  }
}

export type Buyer = ReturnType<typeof createBuyer>;

/** A program that buys with the node of this name. */
export function createBuyer(setting: Setting, name: string, draw: Draw) {
  const { world, recorder, nodeOf, shop, logs } = setting;
  const node = nodeOf(name);
  let item: string | null = null;
  let number = 0;
  const bought = new Set<string>();
  const channel = channelClient({
    node: node.url(),
    asset: world.token,
    ...{ most: CAP, mostPerHost: CAP, mostPerDay: CAP },
    fetch: recorder.fetchFor({ node: name, item: () => item }),
  });
  const client = new x402Client().register('eip155:*', channel);
  const buy = wrapFetchWithPayment(channel.fetch, client);

  /** Asks for the item once; answers whether it has it. */
  async function tried(path: string, signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await buy(`${shop.url}${path}`, { signal });
      const text = await answer.text();
      logs.note(`${name} asks for ${path}: ${answer.status} ${text.slice(0, 200)}`);
      return answer.status === 200 && text === path;
    } catch (error) {
      logs.note(`${name} asks for ${path}: ${String(error)}`);
      return false;
    }
  }

  /** Goes on until it has what it has begun to buy. */
  async function finish(signal: AbortSignal): Promise<void> {
    const end = performance.now() + BUYING_MS;
    while (item !== null && !signal.aborted && performance.now() < end) {
      if (await tried(item, signal)) {
        bought.add(item);
        item = null;
      } else {
        await pause(1_000, signal);
      }
    }
  }

  return {
    bought: () => bought.size,
    /** What it has begun to buy, and not got yet. */
    left: () => item,
    /** Takes up what was left when it was told to end. */
    finish,
    async buyAlways({ over, stopped }: Time): Promise<void> {
      while (!over.aborted) {
        item ??= `/v1/${name}/${++number}`;
        await finish(stopped);
        await pause(draw.integer(100, 2 * LONGEST_REST_MS), over);
      }
    },
  };
}
