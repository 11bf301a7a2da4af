/** An echo node on real parts: it answers by the rules, once, however often its process dies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/host/system.ts';
import type { PaymentRecord } from '../../src/node/runtime/records.ts';
import { type EchoNode, startEcho } from '../../src/services/echo/echo.ts';
import { good, type Network, startNetwork, type TestNode } from '../support/network.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 1_000_000n;
const quiet = { info() {}, warn() {}, error() {} };

describe('an echo node in this process', () => {
  let network: Network;
  let alice: TestNode;
  let bob: TestNode;
  let echo: EchoNode | null = null;

  beforeAll(async () => {
    network = await startNetwork();
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

describe('an echo node in a process of its own', () => {
  let world: World;
  let alice: NodeProcess;
  let bob: NodeProcess;

  beforeAll(async () => {
    world = await startWorld();
    [alice, bob] = await Promise.all([world.start('alice'), startBob()]);
    await world.fund(alice.address, DEPOSIT);
    const request = { token_address: world.token, partner_address: bob.address };
    const opening = alice.api.put('/channels', { ...request, total_deposit: String(DEPOSIT) });
    expect((await world.whileMining(opening)).status).toBe(201);
    const isSeen = async () => (await bob.api.channel(world.token, alice.address)) !== null;
    await world.whileMining(until(isSeen, 'bob sees the channel'));
  });
  afterAll(() => world?.stop());

  const startBob = () => world.start('bob', { command: 'echo' });
  /** How often alice was paid under this identifier. */
  const answers = async (identifier: bigint) =>
    (await alice.api.history()).filter(
      (event) =>
        event.event === 'EventPaymentReceivedSuccess' && event.identifier === identifier + 2n,
    ).length;

  async function payAndWait(identifier: bigint): Promise<void> {
    const order = { amount: '2', identifier: String(identifier) };
    void alice.api.post(`/payments/${world.token}/${bob.address}`, order);
    const isAnswered = async () => (await answers(identifier)) > 0;
    await until(async () => bob.isOver() || (await isAnswered()), 'an answer, or a death');
  }

  it('answers each payment exactly once, whichever commit is its last before it is killed', async () => {
    let deaths = 0;
    for (let identifier = 10n; ; identifier += 10n) {
      bob.dieAt(`commit.after:${deaths + 1}`);
      await payAndWait(identifier);
      bob.spare();
      if (await bob.survives()) break;
      deaths += 1;
      bob = await startBob();
      await until(async () => (await answers(identifier)) > 0, 'the answer after the restart');
    }
    // A second answer to an earlier payment would come before the one to this.
    await payAndWait(9_990n);
    // To receive takes two commits at least, and so does the answer.
    expect(deaths).toBeGreaterThanOrEqual(4);
    const identifiers = Array.from({ length: deaths + 1 }, (_, index) => 10n * BigInt(index + 1));
    for (const identifier of [...identifiers, 9_990n]) expect(await answers(identifier)).toBe(1);
  }, 120_000);
});
