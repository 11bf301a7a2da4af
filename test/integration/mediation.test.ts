import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  balanceOf,
  good,
  type Network,
  startNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const NAMES = ['alice', 'bob', 'carol', 'dave'] as const;
const DEPOSIT = 10n * TOKENS;

let network: Network;
const nodes: TestNode[] = [];
const node = (name: (typeof NAMES)[number]) => {
  const found = nodes.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
};

beforeAll(async () => {
  network = await startNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  for (const name of NAMES) {
    await network.fund(name, 100n * TOKENS);
    nodes.push(await network.start(name));
  }
  for (const [n, partner] of nodes.slice(1).entries()) {
    const opener = nodes[n];
    if (opener === undefined) throw new Error('no opener');
    const opened = opener.openChannel({
      token: network.token,
      partner: partner.ownAddress,
      totalDeposit: DEPOSIT,
      settleTimeout: null,
      revealTimeout: null,
    });
    good(await network.whileMining(opened));
    await until(
      () => partner.channel(network.token, opener.ownAddress) !== null,
      'the channel is known to both',
    );
  }
});
afterAll(() => network.stop());

describe('a payment over two mediators', () => {
  it('reaches its target, and every node has what it should have', async () => {
    const paid = await node('alice').pay({
      token: network.token,
      target: node('dave').ownAddress,
      amount: 3n * TOKENS,
      paymentId: null,
      secret: null,
      secrethash: null,
      lockTimeout: null,
      routes: [{ route: nodes.map(({ ownAddress }) => ownAddress), fee: 0n }],
    });
    expect(paid).toMatchObject({ ok: true });
    for (const [n, partner] of nodes.slice(1).entries()) {
      const own = nodes[n];
      if (own === undefined) throw new Error('no node');
      const balances = () => [
        balanceOf(own.channel(network.token, partner.ownAddress)),
        balanceOf(partner.channel(network.token, own.ownAddress)),
      ];
      await until(() => balances()[1] === 3n * TOKENS, `${partner.name} is paid`);
      expect(balances()).toEqual([7n * TOKENS, 3n * TOKENS]);
    }
    expect(nodes.flatMap(({ failures }) => failures)).toEqual([]);
  });
});
