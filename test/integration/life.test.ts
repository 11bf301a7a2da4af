/** The whole life of a channel between two processes, as their users see it. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelIn } from '../support/api.ts';
import {
  type NodeProcess,
  REVEAL_TIMEOUT,
  SETTLE_TIMEOUT,
  startWorld,
  TOKENS,
  type World,
} from '../support/processes.ts';
import { until } from '../support/until.ts';

let world: World;
let alice: NodeProcess;
let bob: NodeProcess;

beforeAll(async () => {
  world = await startWorld();
  [alice, bob] = await Promise.all([world.start('alice'), world.start('bob')]);
  await world.fund(alice.address, 100n * TOKENS);
  await world.fund(bob.address, 100n * TOKENS);
});
afterAll(() => world?.stop());

const partnerOf = (node: NodeProcess) => (node === alice ? bob : alice).address;
const pathOf = (node: NodeProcess) => `/channels/${world.token}/${partnerOf(node)}`;
const balanceOf = async (node: NodeProcess) =>
  (await node.api.channel(world.token, partnerOf(node)))?.balance;
const pay = (node: NodeProcess, amount: bigint, more: Record<string, string> = {}) =>
  node.api.post(`/payments/${world.token}/${partnerOf(node)}`, { amount: `${amount}`, ...more });

async function eventNames(): Promise<string[]> {
  return (await world.events()).map(({ eventName }) => eventName);
}

describe('a channel', () => {
  it('is for a token that every node lists with its network', async () => {
    for (const { api } of [alice, bob]) {
      expect((await api.get('/tokens')).body).toEqual([world.token]);
      expect((await api.get(`/tokens/${world.token}`)).body).toBe(world.tokenNetwork);
      expect((await api.get(`/tokens/${world.token}/partners`)).body).toEqual([]);
    }
  });

  it('is opened with a deposit, and the partner sees it without being asked', async () => {
    const request = {
      token_address: world.token,
      partner_address: bob.address,
      total_deposit: `${10n * TOKENS}`,
    };
    const answer = await world.whileMining(alice.api.put('/channels', request));
    expect(answer.status).toBe(201);
    expect(channelIn(answer)).toMatchObject({
      channel_identifier: 1n,
      token_network_address: world.tokenNetwork,
      token_address: world.token,
      partner_address: bob.address,
      balance: 10n * TOKENS,
      total_deposit: 10n * TOKENS,
      total_withdraw: 0n,
      state: 'opened',
      settle_timeout: SETTLE_TIMEOUT,
      reveal_timeout: REVEAL_TIMEOUT,
    });
    await until(async () => (await balanceOf(bob)) === 0n, 'bob sees the channel');
    expect((await bob.api.get(`/tokens/${world.token}/partners`)).body).toEqual([
      { partner_address: alice.address, channel: `/api/v1${pathOf(bob)}` },
    ]);
    expect(await world.tokensOf(alice.address)).toBe(90n * TOKENS);
  });

  it('takes further deposits, of which the same twice is one', async () => {
    const total = { total_deposit: `${25n * TOKENS}` };
    for (const times of [1, 2]) {
      const answer = await world.whileMining(alice.api.patch(pathOf(alice), total));
      expect(answer.status, `time ${times}`).toBe(200);
      expect(channelIn(answer).total_deposit).toBe(25n * TOKENS);
    }
    expect(await world.tokensOf(alice.address)).toBe(75n * TOKENS);
    expect(await world.tokensOf(world.tokenNetwork)).toBe(25n * TOKENS);
  });

  it('carries payments to the partner and back', async () => {
    const answer = await pay(alice, 7n * TOKENS, { identifier: '9007199254740993' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      initiator_address: alice.address,
      target_address: bob.address,
      token_address: world.token,
      amount: `${7n * TOKENS}`,
      identifier: '9007199254740993',
      secret: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      secret_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    await until(async () => (await balanceOf(bob)) === 7n * TOKENS, 'bob is paid');
    expect((await pay(bob, 2n * TOKENS, { identifier: '5' })).status).toBe(200);
    await until(async () => (await balanceOf(alice)) === 20n * TOKENS, 'alice is paid');
    expect(await balanceOf(bob)).toBe(5n * TOKENS);
  });

  it('carries a payment with a secret that the payer chose', async () => {
    const secret = `0x${'5e'.repeat(32)}`;
    const hash = createHash('sha256')
      .update(Buffer.from('5e'.repeat(32), 'hex'))
      .digest('hex');
    const answer = await pay(bob, 1n, { secret, secret_hash: `0x${hash}`, identifier: '6' });
    expect(answer.body).toMatchObject({ secret, secret_hash: `0x${hash}` });
    await until(async () => (await balanceOf(alice)) === 20n * TOKENS + 1n, 'alice is paid');
  });

  it('refuses a payment that neither its deposits nor its payments cover', async () => {
    const answer = await pay(bob, 5n * TOKENS);
    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({ errors: expect.stringMatching(/\S/) });
    expect(await balanceOf(bob)).toBe(5n * TOKENS - 1n);
    expect(await bob.api.history()).toHaveLength(3);
  });

  it('leaves its payments in the histories of both, oldest first', async () => {
    const [alices, bobs] = [await alice.api.history(), await bob.api.history()];
    const time = { log_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/) };
    const common = { ...time, token_address: world.token };
    const [first, second, third] = [
      { amount: 7n * TOKENS, identifier: 9007199254740993n, ...common },
      { amount: 2n * TOKENS, identifier: 5n, ...common },
      { amount: 1n, identifier: 6n, ...common },
    ];
    const sent = { event: 'EventPaymentSentSuccess' };
    const received = { event: 'EventPaymentReceivedSuccess' };
    expect(alices).toEqual([
      { ...sent, ...first, target: bob.address },
      { ...received, ...second, initiator: bob.address },
      { ...received, ...third, initiator: bob.address },
    ]);
    expect(bobs).toEqual([
      { ...received, ...first, initiator: alice.address },
      { ...sent, ...second, target: alice.address },
      { ...sent, ...third, target: alice.address },
    ]);
    expect(await alice.api.history(`/${world.token}/${bob.address}?offset=1&limit=1`)).toEqual([
      alices[1],
    ]);
  });

  it('is closed by one side, and the other brings the balance proof of the first', async () => {
    const answer = await world.whileMining(alice.api.patch(pathOf(alice), { state: 'closed' }));
    expect(answer.status).toBe(200);
    expect(channelIn(answer).state).toBe('closed');
    const isUpdated = async () => (await eventNames()).includes('NonClosingBalanceProofUpdated');
    await world.whileMining(until(isUpdated, 'bob brings his balance proof'));
    expect((await pay(alice, 1n)).status).toBe(409);
    await until(
      async () => channelIn(await bob.api.get(pathOf(bob))).state === 'closed',
      'bob sees that the channel is closed',
    );
    expect((await pay(bob, 1n)).status).toBe(409);
  });

  it('is settled after the timeout: the tokens arrive to the unit', async () => {
    await world.mine(SETTLE_TIMEOUT);
    const isGone = async () =>
      (await balanceOf(alice)) === undefined && (await balanceOf(bob)) === undefined;
    await world.whileMining(until(isGone, 'the channel is settled'));
    expect(await world.tokensOf(alice.address)).toBe(95n * TOKENS + 1n);
    expect(await world.tokensOf(bob.address)).toBe(105n * TOKENS - 1n);
    expect(await world.tokensOf(world.tokenNetwork)).toBe(0n);
    expect(await eventNames()).toEqual([
      'ChannelOpened',
      'ChannelNewDeposit',
      'ChannelNewDeposit',
      'ChannelClosed',
      'NonClosingBalanceProofUpdated',
      'ChannelSettled',
    ]);
    for (const { api } of [alice, bob]) {
      expect((await api.get('/channels')).body).toEqual([]);
      const made = (await api.history()).filter(({ event }) => event !== 'EventPaymentSentFailed');
      expect(made).toHaveLength(3);
    }
  });

  it('ends with processes that stop when they are asked to', async () => {
    expect((await alice.api.ask({ method: 'POST', path: '/shutdown' })).body).toEqual({
      status: 'shutdown',
    });
    expect((await alice.ended).code).toBe(0);
    await bob.stop();
    expect((await bob.ended).code).toBe(0);
  });
});
