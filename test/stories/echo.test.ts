/** An echo node on real parts: it answers by the rules, once, however often its process dies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/host/base/system.ts';
import type { PaymentRecord } from '../../src/node/runtime/commits/records.ts';
import { type EchoNode, startEcho } from '../../src/services/echo/echo.ts';
import { good, type Network, startVirtualNetwork, type TestNode } from '../support/network.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 1_000_000n;
const quiet = { info() {}, warn() {}, error() {} };

describe('an echo node in this process', () => {
  let network: Network;
  let alice: TestNode;
  let bob: TestNode;
  let echo: EchoNode | null = null;

  beforeAll(async () => {
    network = startVirtualNetwork();
    await network.fund('alice', DEPOSIT);
    [alice, bob] = [await network.start('alice'), await network.start('bob')];
    const request = { token: network.token, partner: bob.ownAddress, totalDeposit: DEPOSIT };
    const timeouts = { settleTimeout: null, revealTimeout: null };
    good(await network.whileMining(alice.openChannel({ ...request, ...timeouts })));
    const isSeen = () => bob.channel(network.token, alice.ownAddress)?.state === 'opened';
    await network.whileMining(until(isSeen, 'bob sees the channel'));
  });
  afterAll(async () => {
    echo?.stop();
    await network?.stop();
  });

  function beginEcho(): void {
    echo = startEcho(bob, { draw: () => 0, clock: systemClock, log: quiet });
  }
  const pay = async (paymentId: bigint, amount: bigint) =>
    good(
      await alice.pay({
        token: network.token,
        target: bob.ownAddress,
        amount,
        paymentId,
        secret: null,
        secrethash: null,
        lockTimeout: null,
        routes: null,
      }),
    );
  const historyOf = async (node: TestNode): Promise<PaymentRecord[]> =>
    [...good(node.payments({ token: null, partner: null, offset: 0, limit: null }))].flat();
  /** What alice was paid: amount and identifier. */
  const answers = async () =>
    (await historyOf(alice)).flatMap((record) =>
      record.event === 'EventPaymentReceivedSuccess' ? [[record.amount, record.paymentId]] : [],
    );
  const answered = (count: number) =>
    until(async () => (await answers()).length >= count, `${count} answers`);

  it('answers each payment by the rules', async () => {
    beginEcho();
    await pay(10n, 5n);
    await answered(1);
    await pay(10n, 5n);
    await pay(20n, 9n);
    await answered(2);
    await pay(30n, 7n);
    await pay(40n, 7n);
    await answered(3);
    expect(await answers()).toEqual([
      [5n, 15n],
      [8n, 28n],
      [1n, 41n],
    ]);
  });

  it('answers payments after a restart that came before it, and none twice', async () => {
    echo?.stop();
    await pay(50n, 2n);
    await bob.stop();
    bob = await network.start('bob');
    beginEcho();
    await answered(4);
    echo?.stop();
    beginEcho();
    await pay(60n, 2n);
    await answered(5);
    // The lottery goes on, too: alice has her ticket still.
    await pay(70n, 7n);
    await answered(6);
    expect((await answers()).slice(3)).toEqual([
      [2n, 52n],
      [2n, 62n],
      [1n, 71n],
    ]);
  });

  it('answers a payer who was away', async () => {
    echo?.stop();
    await pay(80n, 4n);
    await alice.stop();
    beginEcho();
    alice = await network.start('alice');
    await answered(7);
    expect((await answers()).at(-1)).toEqual([4n, 84n]);
    expect([...alice.failures, ...bob.failures]).toEqual([]);
  });
});
