/** Channels that come and go between two leaves: opened, filled from both sides, drawn from, closed, settled. */
import type { Draw } from '../../../src/simulation/world/randomness.ts';
import { TOKENS } from '../../support/processes.ts';
import type { Deed } from './books.ts';
import { type Channel, change, channelOf, deed, pause } from './calls.ts';
import type { Node } from './machine.ts';
import type { Time } from './payers.ts';
import { HUB, LEAVES, REVEAL_BLOCKS, SETTLE_BLOCKS, type Setting } from './setting.ts';

/** What the channels of a soak went through. `deeds`: what callers were told that is done on chain. */
export type Lives = { deeds: Deed[]; opened: number; settled: number };

const TRUNK = 100n * TOKENS;
/** A channel lives for so many moves. */
const MOST_MOVES = 7;
const LONGEST_REST_MS = 8_000;
/** From a close to the end, in which both nodes may be dead for a while. */
const SETTLED_MS = 300_000;

export const newLives = (): Lives => ({ deeds: [], opened: 0, settled: 0 });

async function open(
  setting: Setting,
  lives: Lives,
  { opener, partner, deposit }: { opener: Node; partner: Node; deposit: bigint },
  signal: AbortSignal,
): Promise<Channel | null> {
  const json = {
    token_address: setting.world.token,
    partner_address: partner.address,
    total_deposit: String(deposit),
    settle_timeout: String(SETTLE_BLOCKS),
    reveal_timeout: String(REVEAL_BLOCKS),
  };
  const channel = await change(setting, opener, { method: 'PUT', path: '/channels', json }, signal);
  if (channel === null) return null;
  lives.opened += 1;
  lives.deeds.push(deed('ChannelOpened', channel));
  const first = { party: opener.name, total: deposit };
  lives.deeds.push(deed('ChannelNewDeposit', channel, first));
  return channel;
}

async function patch(
  setting: Setting,
  { node, partner, json }: { node: Node; partner: Node; json: Record<string, string> },
  signal: AbortSignal,
): Promise<Channel | null> {
  const path = `/channels/${setting.world.token}/${partner.address}`;
  return change(setting, node, { method: 'PATCH', path, json }, signal);
}

async function depositMore(
  setting: Setting,
  lives: Lives,
  { node, partner, more }: { node: Node; partner: Node; more: bigint },
  signal: AbortSignal,
): Promise<void> {
  const known = await channelOf(setting, node, partner);
  if (known === undefined || known === null || known.state !== 'opened') return;
  const total = known.total_deposit + more;
  const json = { total_deposit: String(total) };
  const channel = await patch(setting, { node, partner, json }, signal);
  if (channel !== null)
    lives.deeds.push(deed('ChannelNewDeposit', channel, { party: node.name, total }));
}

/** A part of what the node could pay. */
async function withdraw(
  setting: Setting,
  lives: Lives,
  { node, partner, parts }: { node: Node; partner: Node; parts: bigint },
  signal: AbortSignal,
): Promise<void> {
  const known = await channelOf(setting, node, partner);
  if (known === undefined || known === null || known.state !== 'opened') return;
  const total = known.total_withdraw + known.balance / parts;
  if (total === known.total_withdraw) return;
  const json = { total_withdraw: String(total) };
  const channel = await patch(setting, { node, partner, json }, signal);
  if (channel !== null)
    lives.deeds.push(deed('ChannelWithdraw', channel, { party: node.name, total }));
}

export async function close(
  setting: Setting,
  lives: Lives,
  { node, partner }: { node: Node; partner: Node },
  signal: AbortSignal,
): Promise<void> {
  const json = { state: 'closed' };
  const channel = await patch(setting, { node, partner, json }, signal);
  if (channel !== null) lives.deeds.push(deed('ChannelClosed', channel, { party: node.name }));
}

/** Waits until neither knows the channel any more. */
async function whenGone(
  setting: Setting,
  [one, other]: readonly [Node, Node],
  signal: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + SETTLED_MS;
  while (!signal.aborted && performance.now() < end) {
    const [first, second] = [
      await channelOf(setting, one, other),
      await channelOf(setting, other, one),
    ];
    if (first === null && second === null) return true;
    await pause(1_000, signal);
  }
  return false;
}

/** The channels that stay, between the hub and each leaf, with as much on both sides. */
export async function openTrunk(
  setting: Setting,
  lives: Lives,
  leaf: Node,
  signal: AbortSignal,
): Promise<void> {
  const hub = setting.nodeOf(HUB);
  const channel = await open(
    setting,
    lives,
    { opener: leaf, partner: hub, deposit: TRUNK },
    signal,
  );
  if (signal.aborted) return;
  if (channel === null) throw new Error(`${leaf.name} opens no channel with the hub`);
  while (!signal.aborted && !(await channelOf(setting, hub, leaf))) await pause(200, signal);
  await depositMore(setting, lives, { node: hub, partner: leaf, more: TRUNK }, signal);
}

/** Fills the channels that stay, and draws from them, on both sides, until it is over. */
export async function tendTrunk(
  setting: Setting,
  lives: Lives,
  draw: Draw,
  { over, stopped }: Time,
): Promise<void> {
  const hub = setting.nodeOf(HUB);
  while (!over.aborted) {
    await pause(draw.integer(1_000, LONGEST_REST_MS), over);
    const leaf = setting.nodeOf(draw.pick(LEAVES));
    const [node, partner] = draw.happens(0.5) ? [hub, leaf] : [leaf, hub];
    const more = draw.bigint(1n, TOKENS / 10n);
    if (draw.happens(0.5)) await depositMore(setting, lives, { node, partner, more }, stopped);
    else await withdraw(setting, lives, { node, partner, parts: draw.bigint(20n, 99n) }, stopped);
  }
}

/** One channel of the pair after the other, until it is over. */
export async function liveAlways(
  setting: Setting,
  lives: Lives,
  { pair, draw }: { pair: readonly [Node, Node]; draw: Draw },
  { over, stopped }: Time,
): Promise<void> {
  const { contradict } = setting;
  const sides = () => {
    const node = draw.pick(pair);
    return { node, partner: node === pair[0] ? pair[1] : pair[0] };
  };
  const units = () => draw.bigint(TOKENS / 100n, TOKENS / 10n);
  while (!over.aborted) {
    const { node: opener, partner } = sides();
    await open(setting, lives, { opener, partner, deposit: units() }, stopped);
    for (let left = draw.integer(2, MOST_MOVES); left > 0 && !over.aborted; left--) {
      await pause(draw.integer(500, LONGEST_REST_MS), over);
      if (draw.happens(0.6))
        await depositMore(setting, lives, { ...sides(), more: units() }, stopped);
      else await withdraw(setting, lives, { ...sides(), parts: draw.bigint(1n, 9n) }, stopped);
    }
    // What is open at the end is closed with all the others.
    if (over.aborted) return;
    await close(setting, lives, sides(), stopped);
    const isGone = await whenGone(setting, pair, stopped);
    if (isGone) lives.settled += 1;
    else if (!stopped.aborted)
      contradict({
        what: `the channel of ${pair.map(({ name }) => name).join(' and ')} is not settled after ${SETTLED_MS / 1_000} s`,
        parties: pair.map(({ name }) => name),
      });
  }
}
