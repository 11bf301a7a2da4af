import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  balanceOf,
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { until } from '../support/until.ts';

let network: Network;
let alice: TestNode;
let bob: TestNode;

beforeAll(async () => {
  network = startVirtualNetwork();
  await network.fund('alice', 100n * TOKENS);
  await network.fund('bob', 100n * TOKENS);
  alice = await network.start('alice');
  bob = await network.start('bob');
});
afterAll(() => network.stop());

const payBob = (amount: bigint) => ({
  token: network.token,
  target: bob.ownAddress,
  amount,
  paymentId: null,
  secret: null,
  secrethash: null,
  lockTimeout: null,
  routes: null,
});

describe('a direct payment', () => {
  it('goes through a channel that was opened with a deposit', async () => {
    const request = {
      token: network.token,
      partner: bob.ownAddress,
      totalDeposit: 10n * TOKENS,
      settleTimeout: null,
      revealTimeout: null,
    };
    const opened = good(await network.whileMining(alice.openChannel(request)));
    expect(opened).toMatchObject({ balance: 10n * TOKENS, state: 'opened' });
    await until(
      () => bob.channel(network.token, alice.ownAddress) !== null,
      'bob sees the channel',
    );

    const paid = good(await alice.pay(payBob(3n * TOKENS)));
    expect(paid).toMatchObject({ amount: 3n * TOKENS, target: bob.ownAddress });
    const bobs = () => balanceOf(bob.channel(network.token, alice.ownAddress));
    await until(() => bobs() === 3n * TOKENS, 'bob is paid');
    expect(balanceOf(alice.channel(network.token, bob.ownAddress))).toBe(7n * TOKENS);
  });

  it('is refused when no channel can carry it', async () => {
    expect(await alice.pay(payBob(8n * TOKENS))).toMatchObject({
      ok: false,
      code: 'insufficient_balance',
    });
  });

  it('is found in both histories', async () => {
    const query = { token: network.token, partner: null, offset: 0, limit: null };
    expect([...good(alice.payments(query))].flat()).toMatchObject([
      { event: 'EventPaymentSentSuccess', amount: 3n * TOKENS, target: bob.ownAddress },
    ]);
    expect([...good(bob.payments(query))].flat()).toMatchObject([
      { event: 'EventPaymentReceivedSuccess', amount: 3n * TOKENS, initiator: alice.ownAddress },
    ]);
  });

  it('leaves the tokens where they belong after close and settlement', async () => {
    const closed = good(await network.whileMining(alice.close(network.token, bob.ownAddress)));
    expect(closed.state).toBe('closed');
    await network.whileMining(
      until(() => alice.channel(network.token, bob.ownAddress) === null, 'the channel is settled'),
    );
    expect(await network.tokensOf('alice')).toBe(97n * TOKENS);
    expect(await network.tokensOf('bob')).toBe(103n * TOKENS);
    expect([...alice.failures, ...bob.failures]).toEqual([]);
  });
});
