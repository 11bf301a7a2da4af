/** What a client would look after: its writes are there at once, done once, whoever else asks or leaves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../conformance/devnet.ts';
import { prepare } from '../conformance/prepare.ts';
import { realGround } from '../conformance/real-ground.ts';
import { tokensOf, userDepositOf } from '../conformance/states.ts';
import { type Answer, type Api, type Channel, channelIn } from '../support/api.ts';
import { until } from '../support/until.ts';

let devnet: Devnet;

beforeAll(async () => {
  devnet = await startDevnet(realGround, { inTurn: ['carol'] });
  await prepare(devnet);
  const opening = { token_address: '{token}', partner_address: '{bob}', total_deposit: '1000' };
  await devnet.do('carol', 'PUT /channels', opening);
  const bob = await devnet.api('bob');
  const isSeen = async () => (await bob.get(filled('/channels/{token}/{carol}'))).status === 200;
  await devnet.whileMining(until(isSeen, 'bob has seen the channel'));
  await devnet.do('bob', 'PATCH /channels/{token}/{carol}', { total_deposit: '500' });
});
afterAll(() => devnet?.stop());

const filled = (text: string) => devnet.filled(text);

type Call = { method: string; path: string; json?: unknown; signal?: AbortSignal };

/** Any call, with names in it; the chain moves meanwhile unless it is a payment. */
async function call(api: Api, { method, path, json }: Call): Promise<Answer> {
  const raw = json === undefined ? {} : { raw: filled(JSON.stringify(json)) };
  const asked = api.ask({ method, path: filled(path), ...raw });
  return path.startsWith('/payments') ? asked : devnet.whileMining(asked);
}

/** The same call twice at the same time. */
function twice(api: Api, what: Call): Promise<[Answer, Answer]> {
  return Promise.all([call(api, what), call(api, what)]);
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
const but = (channel: Channel) => ({ ...channel, network_state: null });

/** A node that handles several calls at once, and one that handles them in turn. */
const NODES = [
  ['alice', 'takes eight calls at once', 100],
  ['carol', 'takes one call after the other', 200],
] as const;

describe.each(NODES)('what %s, who %s, has answered', (name, _, first) => {
  const stranger = `{someone${first}}`;
  const channel = `/channels/{token}/${stranger}`;
  const inBob = '/channels/{token}/{bob}';
  const read = async (path: string) =>
    Object((await (await devnet.api(name)).get(filled(path))).body);
  const write = async (method: string, path: string, json: unknown) =>
    call(await devnet.api(name), { method, path, json });

  it('can be read at once: a channel', async () => {
    const body = { token_address: '{token}', partner_address: stranger, total_deposit: '40' };
    const opened = channelIn(await write('PUT', '/channels', body));
    const api = await devnet.api(name);
    expect(but(channelIn(await api.get(filled(channel))))).toEqual(but(opened));
    expect((await api.channels()).map(but)).toContainEqual(but(opened));
    const partner_address = filled(stranger);
    const link = { partner_address, channel: filled(`/api/v1${channel}`) };
    expect(await read('/tokens/{token}/partners')).toContainEqual(link);
    const events = await read(`/events${channel}`);
    expect(events).toContainEqual(expect.objectContaining({ event: 'ChannelOpened' }));
  });

  it('can be read at once: a deposit', async () => {
    const sum = async () => BigInt((await read('/connections'))[filled('{token}')].sum_deposits);
    const before = await sum();
    expect(await write('PATCH', channel, { total_deposit: '90' })).toMatchObject({ status: 200 });
    expect(await read(channel)).toMatchObject({ total_deposit: '90', balance: '90' });
    expect((await sum()) - before).toBe(50n);
  });

  it('can be read at once: a reveal timeout', async () => {
    expect((await write('PATCH', channel, { reveal_timeout: '33' })).status).toBe(200);
    expect(await read(channel)).toMatchObject({ reveal_timeout: '33' });
  });

  it('can be read at once: a payment', async () => {
    const before = BigInt((await read(inBob)).balance);
    const body = { amount: '7', identifier: String(first + 1) };
    expect((await write('POST', '/payments/{token}/{bob}', body)).status).toBe(200);
    expect(await read(inBob)).toMatchObject({ balance: String(before - 7n) });
    const sent = expect.objectContaining({ ...body, event: 'EventPaymentSentSuccess' });
    expect((await read('/payments')).at(-1)).toEqual(sent);
    expect(await read('/payments/{token}/{bob}')).toContainEqual(sent);
    expect(await read(`/events${inBob}`)).toContainEqual(sent);
    expect(await read('/pending_transfers')).toEqual([]);
  });

  it('can be read at once: a payment that failed', async () => {
    const path = '/payments/{token}/{stranger}';
    expect((await write('POST', path, { amount: '7' })).status).toBe(409);
    const failed = { event: 'EventPaymentSentFailed', target: filled('{stranger}') };
    expect((await read('/payments')).at(-1)).toMatchObject(failed);
  });

  it('can be read at once: a withdrawal', async () => {
    expect(await write('PATCH', inBob, { total_withdraw: '20' })).toMatchObject({ status: 200 });
    expect(await read(inBob)).toMatchObject({ total_withdraw: '20' });
    const event = { event: 'ChannelWithdraw', total_withdraw: '20' };
    expect(await read(`/events${inBob}`)).toContainEqual(expect.objectContaining(event));
  });

  it('can be read at once: the user deposit, a plan of it, and minted tokens', async () => {
    expect((await write('POST', '/user_deposit', { total_deposit: '500' })).status).toBe(200);
    expect(await userDepositOf(devnet, name)).toMatchObject({ balance: 500n });
    const plan = await write('POST', '/user_deposit', { planned_withdraw_amount: '100' });
    const { planned_withdraw_block_number: block } = Object(plan.body);
    const planned = { plannedAmount: 100n, plannedBlock: BigInt(block) };
    expect(await userDepositOf(devnet, name)).toMatchObject(planned);
    const order = { to: stranger, value: '11' };
    expect((await write('POST', '/_testing/tokens/{token}/mint', order)).status).toBe(200);
    expect(await tokensOf(devnet, '{token}', stranger)).toBe(11n);
  });

  it('can be read at once: a close', async () => {
    expect((await write('PATCH', channel, { state: 'closed' })).status).toBe(200);
    expect(await read(channel)).toMatchObject({ state: 'closed' });
    expect((await write('PATCH', channel, { total_deposit: '91' })).status).toBe(409);
  });
});

describe.each(NODES)('the same call twice at a time, to %s, who %s', (name, _, first) => {
  const stranger = `{someone${first + 1}}`;
  const channel = `/channels/{token}/${stranger}`;
  const owned = () => tokensOf(devnet, '{token}', `{${name}}`);
  const eventsOf = async (kind: string) => {
    const events = Object((await (await devnet.api(name)).get(filled(`/events${channel}`))).body);
    return [events].flat().filter(({ event }) => event === kind);
  };

  it('opens one channel', async () => {
    const api = await devnet.api(name);
    const before = await owned();
    const json = { token_address: '{token}', partner_address: stranger, total_deposit: '30' };
    const answers = await twice(api, { method: 'PUT', path: '/channels', json });
    expect(statuses(answers)).toEqual([201, 409]);
    expect(before - (await owned())).toBe(30n);
    expect(await eventsOf('ChannelOpened')).toHaveLength(1);
  });

  it('deposits once, and both calls are answered with the new total', async () => {
    const api = await devnet.api(name);
    const before = await owned();
    const json = { total_deposit: '80' };
    const answers = await twice(api, { method: 'PATCH', path: channel, json });
    expect(answers.map(channelIn)).toMatchObject([{ total_deposit: 80n }, { total_deposit: 80n }]);
    expect(before - (await owned())).toBe(50n);
    expect(await eventsOf('ChannelNewDeposit')).toHaveLength(2);
  });

  it('withdraws once, and both calls are answered with the new total', async () => {
    const api = await devnet.api(name);
    const before = await owned();
    const json = { total_withdraw: '25' };
    const path = '/channels/{token}/{bob}';
    const answers = await twice(api, { method: 'PATCH', path, json });
    expect(answers.map(channelIn)).toMatchObject([
      { total_withdraw: 25n },
      { total_withdraw: 25n },
    ]);
    expect((await owned()) - before).toBe(5n);
  });

  it('pays once for each different result that it answers', async () => {
    const api = await devnet.api(name);
    const identifier = String(first + 50);
    devnet.mute('bob');
    const path = '/payments/{token}/{bob}';
    const both = twice(api, { method: 'POST', path, json: { amount: '3', identifier } });
    await until(async () => (await pendingOf(name)) > 0, 'a payment is in flight');
    for (let i = 0; i < 10; i++) await api.get('/status');
    devnet.unmute('bob');
    const [one, two] = await both;
    expect([one.status, two.status]).toEqual([200, 200]);
    const secrets = new Set([one, two].map(({ body }) => Object(body).secret));
    // A call that has to wait is made when the identifier is free again.
    expect(secrets.size).toBe(name === 'alice' ? 1 : 2);
    const bob = await devnet.api('bob');
    const received = async () =>
      (await bob.history()).filter(
        (event) => 'identifier' in event && event.identifier === BigInt(identifier),
      );
    await until(async () => (await received()).length >= secrets.size, 'bob is paid');
    expect(await received()).toHaveLength(secrets.size);
  });

  it('mints once for each different result that it answers', async () => {
    const api = await devnet.api(name);
    const json = { to: stranger, value: '5' };
    const path = '/_testing/tokens/{token}/mint';
    const answers = await twice(api, { method: 'POST', path, json });
    const made = new Set(answers.map(({ body }) => Object(body).transaction_hash));
    expect(statuses(answers)).toEqual([200, 200]);
    expect(await tokensOf(devnet, '{token}', stranger)).toBe(5n * BigInt(made.size));
  });

  it('deposits for services once', async () => {
    const api = await devnet.api(name);
    const path = '/user_deposit';
    const answers = await twice(api, { method: 'POST', path, json: { total_deposit: '700' } });
    expect([
      [200, 200],
      [200, 409],
    ]).toContainEqual(statuses(answers));
    expect(await userDepositOf(devnet, name)).toMatchObject({ total: 700n, balance: 700n });
  });

  it('leaves one plan of a withdrawal', async () => {
    const api = await devnet.api(name);
    const json = { planned_withdraw_amount: '200' };
    const answers = await twice(api, { method: 'POST', path: '/user_deposit', json });
    expect(statuses(answers)).toEqual([200, 200]);
    const { plannedAmount, plannedBlock } = await userDepositOf(devnet, name);
    expect(plannedAmount).toBe(200n);
    const blocks = answers.map(({ body }) => Object(body).planned_withdraw_block_number);
    // In turn, the second call replaces the plan of the first by the same amount.
    expect(BigInt(Math.max(...blocks))).toBe(plannedBlock);
    if (name === 'alice') expect(new Set(blocks).size).toBe(1);
  });

  it('closes once', async () => {
    const api = await devnet.api(name);
    const json = { state: 'closed' };
    const answers = await twice(api, { method: 'PATCH', path: channel, json });
    expect(statuses(answers)).toEqual([200, 409]);
    expect(await eventsOf('ChannelClosed')).toHaveLength(1);
  });
});

describe('the registration of a token twice at a time', () => {
  it('creates one token network, which is there at once', async () => {
    const api = await devnet.api('alice');
    const answers = await twice(api, { method: 'PUT', path: '/tokens/{second}' });
    expect(statuses(answers)).toEqual([201, 409]);
    const created = answers.find(({ status }) => status === 201);
    const { token_network_address } = Object(created?.body);
    expect((await api.get(filled('/tokens/{second}'))).body).toBe(token_network_address);
    expect((await api.get('/tokens')).body).toEqual(['{token}', '{small}', '{second}'].map(filled));
  });
});

async function pendingOf(name: 'alice' | 'carol'): Promise<number> {
  // Asks bob, the other side of these payments, because a call of the node itself might have to wait.
  const bob = await devnet.api('bob');
  const all = [(await bob.get('/pending_transfers')).body].flat();
  return all.filter((each) => Object(each).initiator === filled(`{${name}}`)).length;
}
