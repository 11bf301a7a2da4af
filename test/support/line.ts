/** Nodes in a line, each with a channel to the next that it has paid into, and what they hold in it. */
import { expect } from 'vitest';
import type { PaymentRequest } from '../../src/node/routing/usable-routes.ts';
import type { NodeSettings } from '../../src/node/runtime/parts.ts';
import { balanceOf, good, type Network, type TestNode, TOKENS } from './network.ts';
import { until } from './until.ts';

export type Line = Awaited<ReturnType<typeof startLine>>;
export const DEPOSIT = 100n * TOKENS;

/** Starts the nodes and opens their channels; the chain rests afterwards. */
export async function startLine(
  network: Network,
  names: readonly string[],
  givenOf: (name: string) => Parameters<Network['start']>[1] = () => ({}),
) {
  const nodes = new Map<string, TestNode>();
  const { token } = network;

  const node = (name: string): TestNode => {
    const found = nodes.get(name);
    if (found === undefined) throw new Error(`${name} is not in the line`);
    return found;
  };
  const running = new Set<string>();
  async function start(name: string, settings: Partial<NodeSettings> = {}): Promise<void> {
    nodes.set(name, await network.start(name, { ...givenOf(name), settings }));
    running.add(name);
  }

  const pairs = names.slice(1).map((name, n) => [names[n] ?? '', name] as const);
  const held = (own: string, partner: string) =>
    balanceOf(node(own).channel(token, network.addressOf(partner)));

  async function open(from: string, to: string): Promise<void> {
    const facts = { token, partner: network.addressOf(to), totalDeposit: DEPOSIT };
    const opening = node(from).openChannel({ ...facts, settleTimeout: null, revealTimeout: null });
    good(await network.whileMining(opening));
    const isKnown = () => node(to).channel(token, network.addressOf(from)) !== null;
    await until(isKnown, `${to} knows the channel`);
  }

  for (const name of names) await network.fund(name, 2n * DEPOSIT);
  for (const name of names) await start(name);
  for (const [from, to] of pairs) await open(from, to);

  const confirmedBlock = async (name: string) => (await node(name).stats()).chain?.confirmed ?? 0n;
  /** The newest confirmed block, once every running node has handled it. */
  async function agree(): Promise<bigint> {
    const target = await network.chain.client.getBlockNumber({ cacheTime: 0 });
    const block = target - network.settings.confirmations;
    for (const name of running)
      await until(async () => (await confirmedBlock(name)) >= block, `${name} sees block ${block}`);
    return block;
  }

  return {
    node,
    held,
    agree,
    start,
    async stop(name: string) {
      running.delete(name);
      await node(name).stop();
    },
    between: (a: string, b: string) => [network.addressOf(a), network.addressOf(b)] as const,
    /** Each block is confirmed one block later. */
    async mine(blocks: bigint) {
      await network.mine(blocks);
      await agree();
    },
    payment: (path: readonly string[], parts: Partial<PaymentRequest> & { fee?: bigint } = {}) => {
      const { fee = 0n, ...given } = parts;
      const route = path.map(network.addressOf);
      return {
        token,
        target: network.addressOf(path.at(-1) ?? ''),
        amount: 3n * TOKENS,
        paymentId: null,
        secret: null,
        secrethash: null,
        lockTimeout: null,
        routes: [{ route, fee }],
        ...given,
      };
    },
    pending: (name: string) =>
      good(node(name).pendingTransfers({ token, partner: null })).map(({ role }) => role),
    /** No lock is left anywhere, and what both ends of each channel hold is what was paid into it. */
    async expectBooks(open = pairs) {
      const locks = () =>
        names.flatMap((name) => good(node(name).pendingTransfers({ token, partner: null })));
      await until(() => locks().length === 0, 'no lock is left');
      for (const [from, to] of open) expect(held(from, to) + held(to, from)).toBe(DEPOSIT);
      expect(names.flatMap((name) => node(name).failures)).toEqual([]);
    },
  };
}
