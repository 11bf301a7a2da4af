/**
 * Calls that are repeated under their key, of a node that dies at any point of the first one: what they ask for happens
 * once, and the repeated call says what became of it.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { createApp } from '../../src/http/app.ts';
import { BASE } from '../../src/http/endpoints/endpoint.ts';
import type { RunningNode } from '../../src/node/start.ts';
import { isAtRest } from '../support/ledger.ts';
import { type MortalNode, mortalNode } from '../support/mortal.ts';
import { startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

type Asked = { method: string; path: string; body?: unknown };
type Answer = { status: number; body: Record<string, unknown> };

let network: VirtualNetwork;
let alice: MortalNode;
let bob: MortalNode;

beforeEach(async () => {
  network = startVirtualNetwork();
  alice = mortalNode(network, 'alice');
  await network.fund('alice', 1_000n);
  await mintTokens(network.clients, network.contracts.serviceTokenAddress, alice.address, 1_000n);
  bob = mortalNode(network, 'bob');
  await bob.start();
  await alice.start();
});
afterEach(() => network?.stop());

async function askOf(node: RunningNode, { method, path, body }: Asked, key: string) {
  const answer = await createApp({ node }).request(BASE + path, {
    method,
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: Object(await answer.json()) };
}

/** Asks alice under the key; if she dies meanwhile, she never answers. */
const ask = (asked: Asked, key = 'order-7'): Promise<Answer> =>
  alice.ask((node) => askOf(node, asked, key));

const opening = (deposit: string): Asked => ({
  method: 'PUT',
  path: '/channels',
  body: { token_address: network.token, partner_address: bob.address, total_deposit: deposit },
});
const paying = (amount: string): Asked => ({
  method: 'POST',
  path: `/payments/${network.token}/${bob.address}`,
  body: { amount },
});
const changing = (body: unknown): Asked => ({
  method: 'PATCH',
  path: `/channels/${network.token}/${bob.address}`,
  body,
});
const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const ofBob = () => bob.node().channel(network.token, alice.address);
const transactionsSent = () => network.chain.client.getTransactionCount({ address: alice.address });

async function openChannel(): Promise<void> {
  await network.whileMining(ask(opening('100'), 'opening'));
  await until(() => ofBob() !== null, 'bob sees the channel');
}

/** Asks, lets the node die at the point, starts it again, and asks for the same once more. */
async function askAndDie(asked: Asked, point: string, nth: number): Promise<Answer> {
  alice.dieAt(point, nth);
  void ask(asked);
  await network.whileMining(until(alice.isOver, `alice dies at ${point}`));
  await alice.start();
  return network.whileMining(ask(asked));
}

describe('a payment that is repeated under its key', () => {
  it.each([
    ['commit.before', 1],
    ['commit.written', 1],
    ['commit.after', 1],
    ['publish.before', 1],
    ['publish.after', 1],
    ['receive.before', 1],
    ['receive.after', 1],
    ['commit.before', 2],
    ['commit.written', 2],
    ['commit.after', 2],
    ['reply.before', 1],
  ])('is paid once though the node dies at %s %i', async (point, nth) => {
    await openChannel();
    const paid = await askAndDie(paying('7'), point, nth);
    expect(paid).toMatchObject({ status: 200, body: { amount: '7' } });
    expect(await ask(paying('7'))).toEqual(paid);
    await until(() => ofBob()?.balance === 7n, 'bob is paid');
    await network.whileMining(until(() => isAtRest(alice.ledger()), 'nothing is on its way'));
    expect(ofBob()?.balance).toBe(7n);
    expect(alice.failures).toEqual([]);
  });

  it('says that it failed, and why, when it failed while nobody waited', async () => {
    await openChannel();
    bob.pause();
    alice.dieAt('commit.after', 1);
    void ask(paying('7'));
    await until(alice.isOver, 'alice dies');
    await alice.start();
    const answer = await network.whileMining(ask(paying('7')));
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'lock_expired', outcome: 'failed', identifier: expect.any(String) },
    });
    await alice.stop();
    await alice.start();
    expect(await ask(paying('7'))).toEqual(answer);
  });

  it('is refused with another content, also after a restart', async () => {
    await openChannel();
    await ask(paying('7'));
    for (const _ of ['at once', 'later']) {
      expect(await ask(paying('8'))).toMatchObject({
        status: 422,
        body: { code: 'key_reused', outcome: 'not_begun' },
      });
      await alice.stop();
      await alice.start();
    }
    expect(ofBob()?.balance).toBe(7n);
  });

  it('is judged anew when it was refused before anything began', async () => {
    await openChannel();
    expect(await ask(paying('700'))).toMatchObject({ status: 402, body: { outcome: 'not_begun' } });
    expect(await ask(paying('7'))).toMatchObject({ status: 200 });
  });
});

describe('a call of several that ask for one payment', () => {
  it('joins it under its own key, and both know its end after a restart', async () => {
    await openChannel();
    const asked = { ...paying('7'), body: { amount: '7', identifier: '5' } };
    const both = [ask(asked, 'one'), ask(asked, 'two')];
    const [one, two] = await Promise.all(both);
    expect(two).toEqual(one);
    await alice.stop();
    await alice.start();
    expect(await ask(asked, 'one')).toEqual(one);
    expect(await ask(asked, 'two')).toEqual(one);
    expect(ofBob()?.balance).toBe(7n);
  });
});

describe('a transaction that is repeated under its key', () => {
  const POINTS: [string, number][] = [
    ['commit.before', 1],
    ['commit.after', 1],
    ['job.before', 1],
    ['transaction.saved', 1],
    ['transaction.sent', 1],
    ['transaction.mined', 1],
    ['reply.before', 1],
  ];

  it.each(POINTS)('opens one channel though the node dies at %s %i', async (point, nth) => {
    const opened = await askAndDie(opening('100'), point, nth);
    expect(opened).toMatchObject({ status: 201, body: { total_deposit: '100', state: 'opened' } });
    expect(await ask(opening('100'))).toEqual(opened);
    expect(await transactionsSent()).toBe(2);
  });

  it.each(POINTS)('deposits once though the node dies at %s %i', async (point, nth) => {
    await openChannel();
    const before = await transactionsSent();
    const changed = await askAndDie(changing({ total_deposit: '150' }), point, nth);
    expect(changed).toMatchObject({ status: 200, body: { total_deposit: '150' } });
    expect(await transactionsSent()).toBe(before + 2);
  });

  it.each(POINTS)('closes once though the node dies at %s %i', async (point, nth) => {
    await openChannel();
    const closed = await askAndDie(changing({ state: 'closed' }), point, nth);
    expect(closed).toMatchObject({ status: 200, body: { state: 'closed' } });
    // The channel is settled, and gone, long before the answer is forgotten.
    await network.mine(60n);
    await network.whileMining(
      until(() => alice.node().channels({ token: null }).length === 0, 'it is settled'),
    );
    expect(await ask(changing({ state: 'closed' }))).toEqual(closed);
  });

  it.each(POINTS)('withdraws once though the node dies at %s %i', async (point, nth) => {
    await openChannel();
    const withdrawn = await askAndDie(changing({ total_withdraw: '40' }), point, nth);
    expect(withdrawn).toMatchObject({ status: 200, body: { total_withdraw: '40' } });
    expect(await ask(changing({ total_withdraw: '40' }))).toEqual(withdrawn);
  });

  it.each(POINTS)('mints once though the node dies at %s %i', async (point, nth) => {
    const path = `/_testing/tokens/${network.token}/mint`;
    const minting = { method: 'POST', path, body: { to: alice.address, value: '9' } };
    const minted = await askAndDie(minting, point, nth);
    expect(minted).toMatchObject({ status: 200, body: { transaction_hash: expect.any(String) } });
    expect(await ask(minting)).toEqual(minted);
    expect(await transactionsSent()).toBe(1);
  });

  it.each(POINTS)(
    'pays into the user deposit once though the node dies at %s %i',
    async (point, nth) => {
      const depositing = { method: 'POST', path: '/user_deposit', body: { total_deposit: '30' } };
      const deposited = await askAndDie(depositing, point, nth);
      expect(deposited).toMatchObject({ status: 200 });
      expect(await ask(depositing)).toEqual(deposited);
      expect(await transactionsSent()).toBe(2);
    },
  );

  it.each(POINTS)('registers a token once though the node dies at %s %i', async (point, nth) => {
    const token = await network.createToken('TTX');
    const registering = { method: 'PUT', path: `/tokens/${token}` };
    const registered = await askAndDie(registering, point, nth);
    expect(registered).toMatchObject({ status: 201 });
    expect(await ask(registering)).toEqual(registered);
    expect(await transactionsSent()).toBe(1);
  });

  it('joins a token network once though the node dies', async () => {
    const joining = {
      method: 'PUT',
      path: `/connections/${network.token}`,
      body: { funds: '500' },
    };
    const carol = await network.start('carol');
    await network.fund('bob', 10n);
    const request = { token: network.token, partner: carol.ownAddress, totalDeposit: 10n };
    await network.whileMining(
      bob.node().openChannel({ ...request, settleTimeout: null, revealTimeout: null }),
    );
    // She reads up to the blocks in which both can be seen in the network.
    await network.mine(2n);
    await alice.stop();
    await alice.start();
    const joined = await askAndDie(joining, 'transaction.sent', 1);
    expect(joined).toMatchObject({ status: 200 });
    expect(await ask(joining)).toEqual(joined);
    expect(alice.node().channels({ token: null })).toHaveLength(2);
  });
});

describe('a call of a node that stops', () => {
  it('says that the payment is pending, with its identifier, and under its key what became of it', async () => {
    await openChannel();
    bob.pause();
    const answer = askOf(alice.node(), paying('7'), 'order-7');
    await until(async () => (await alice.node().stats()).locks.initiator === 1, 'it has begun');
    await alice.stop();
    expect(await answer).toMatchObject({
      status: 503,
      body: { code: 'shutting_down', outcome: 'pending', identifier: expect.any(String) },
    });
    bob.resume();
    await alice.start();
    expect(await network.whileMining(ask(paying('7')))).toMatchObject({ status: 200 });
  });
});

describe('a payment whose next node is away', () => {
  it('is not begun, and says so, as soon as the next node can no longer be reached', async () => {
    await openChannel();
    bob.kill();
    const before = await alice.node().stats();
    await passed(3_000);
    expect(await ask(paying('7'))).toMatchObject({
      status: 409,
      body: { code: 'partner_unreachable', outcome: 'not_begun' },
    });
    expect((await alice.node().stats()).locks).toEqual(before.locks);
  });

  it('that has begun says so to a caller with a key, long before its lock expires, and goes on', async () => {
    await openChannel();
    bob.pause();
    const answer = ask(paying('7'));
    await until(async () => (await alice.node().stats()).locks.initiator === 1, 'it has begun');
    bob.kill();
    expect(await answer).toMatchObject({
      status: 409,
      body: { code: 'partner_unreachable', outcome: 'pending', identifier: expect.any(String) },
    });
    expect(await ask(paying('7'))).toMatchObject({ body: { code: 'partner_unreachable' } });
    await bob.start();
    await until(async () => (await ask(paying('7'))).status === 200, 'it is paid when bob is back');
    expect(ofBob()?.balance).toBe(7n);
  });
});
