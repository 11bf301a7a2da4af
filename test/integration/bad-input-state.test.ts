/** Refusals that come from what the node is, or is busy with: its money, its chain, its end. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { deployToken } from '../../src/contracts/tokens.ts';
import type { Answer } from '../support/api.ts';
import type { Ledger } from '../support/ledger.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { freePort, type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { startRpcProxy } from '../support/rpc-proxy.ts';
import { until } from '../support/until.ts';

let world: World;
let pair: Pair;
let other: Address;
let third: Address;

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  pair = await startPair(world, 1_000n, {}, { isHere: false });
  await pair.open();
  other = await deployToken(world.clients, { name: 'Other', symbol: 'OTH' });
  third = await deployToken(world.clients, { name: 'Third', symbol: 'THR' });
});
afterAll(() => world?.stop());

const refused = (status: number) => ({ status, body: { errors: expect.stringMatching(/\S/) } });

describe('a node without gas money', () => {
  let poor: NodeProcess;
  const path = () => `/channels/${world.token}/${pair.address.alice}`;

  beforeAll(async () => {
    const address = await world.createKey('poor', randomBytes(32));
    await world.fund(address, 500n);
    poor = await world.start('poor');
    const json = { token_address: world.token, partner_address: address, total_deposit: '10' };
    await world.whileMining(pair.nodes.alice.api.put('/channels', json));
    await until(async () => (await poor.api.get(path())).status === 200, 'the channel is seen');
  });
  afterAll(() => poor?.stop());

  it.each<[string, () => Promise<Answer>]>([
    ['register a token', () => poor.api.ask({ method: 'PUT', path: `/tokens/${other}` })],
    [
      'open a channel',
      () =>
        poor.api.put('/channels', {
          token_address: world.token,
          partner_address: pair.address.bob,
        }),
    ],
    [
      'open a channel with a deposit',
      () =>
        poor.api.put('/channels', {
          token_address: world.token,
          partner_address: pair.address.bob,
          total_deposit: '5',
        }),
    ],
    ['deposit', () => poor.api.patch(path(), { total_deposit: '5' })],
    ['close', () => poor.api.patch(path(), { state: 'closed' })],
  ])('answers 402 when it is asked to %s', async (_, ask) => {
    expect(await ask()).toMatchObject(refused(402));
    const [channel, ...others] = await poor.api.channels();
    expect(channel).toMatchObject({ state: 'opened', total_deposit: 0n, balance: 0n });
    expect(others).toEqual([]);
  });

  it('takes a payment of its partner all the same: that has the secret anyway', async () => {
    const path = `/payments/${world.token}/${poor.address}`;
    const asked = pair.nodes.alice.api.post(path, { amount: '4' });
    expect(await world.whileMining(asked)).toMatchObject({ status: 200 });
    const isPaid = async () => (await poor.api.channels())[0]?.balance === 4n;
    await until(isPaid, 'the payment is unlocked');
    // The other node is stopped then: what it has not heard by now would be on its way for ever.
    const isHeard = ({ payments, outbox }: Ledger) => payments.length + outbox === 0;
    await until(() => isHeard(pair.ledgerOf('alice')), 'the payment is over, and both know');
  });
});

describe('the tokens of a registry', () => {
  const register = (token: Address) =>
    world.whileMining(pair.nodes.alice.api.ask({ method: 'PUT', path: `/tokens/${token}` }));

  it('are not registered by a node in production', async () => {
    const options = { 'environment-type': 'production' };
    const carol = await world.start('carol', { options });
    const answer = await carol.api.ask({ method: 'PUT', path: `/tokens/${other}` });
    expect(answer).toMatchObject(refused(501));
    await carol.stop();
  });

  it('are registered until it is full, each once', async () => {
    const answer = await register(other);
    expect(answer).toMatchObject({
      status: 201,
      body: { token_network_address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) },
    });
    expect(await register(other)).toMatchObject(refused(409));
    expect(await register(third)).toMatchObject(refused(403));
    expect((await pair.nodes.alice.api.get('/tokens')).body).toEqual([world.token, other]);
  });
});

describe('an identifier of a payment in flight', () => {
  it('is refused for another payment, and joins the same one', async () => {
    await pair.meet();
    pair.nodes.bob.pause();
    const pay = (amount: bigint) => pair.pay('alice', amount, { identifier: '77' });
    const first = pay(3n);
    await until(() => pair.ledgerOf('alice').payments.length === 1, 'the payment is in flight');
    const same = pay(3n);
    expect(await pay(4n)).toMatchObject(refused(409));
    pair.nodes.bob.resume();
    const [one, two] = [await first, await same];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(two.body).toEqual(one.body);
    await until(pair.isQuiet, 'the payment is over');
    const history = await pair.nodes.bob.api.history();
    const times = history.filter((event) => 'identifier' in event && event.identifier === 77n);
    expect(times).toHaveLength(1);
  });
});

describe('a node that is not ready', () => {
  const CALLS = ['/address', '/tokens', '/channels', '/payments', '/settings', '/contracts'];

  async function expectUnready(node: NodeProcess): Promise<void> {
    for (const path of CALLS) {
      const answer = await node.api.get(path);
      expect(answer).toMatchObject(refused(503));
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    const json = { amount: '1' };
    expect((await node.api.post(`/payments/${world.token}/${node.address}`, json)).status).toBe(
      503,
    );
    expect((await node.api.get('/payments/x')).status).toBe(404);
    expect((await node.api.get('/nothing')).status).toBe(404);
  }

  it('answers 503 while it syncs, and says how far it is', async () => {
    await world.mine(50n);
    const proxy = await startRpcProxy(world.anvil.rpc);
    const held = { release() {} };
    const isReleased = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    let answered = 0;
    // An endpoint that gives logs of few blocks at a time, and after the first of them falls silent.
    proxy.setRule(async ({ method, params }, forward) => {
      if (method !== 'eth_getLogs') return forward();
      const { fromBlock, toBlock } = Object(params[0]);
      if (Number(toBlock) - Number(fromBlock) > 8)
        return { error: { code: -32_005, message: 'too many blocks' } };
      if (++answered > 1) await isReleased;
      return forward();
    });
    const dave = await world.launch('dave', { options: { 'eth-rpc-endpoint': proxy.rpc } });
    // While the endpoint refuses a range, the node may call it unavailable for a moment.
    let said: unknown = null;
    const isSyncing = async () => {
      said = (await dave.api.get('/status').catch(() => null))?.body;
      return Object(said).status === 'syncing';
    };
    await until(isSyncing, 'the node is syncing');
    expect(said).toEqual({
      status: 'syncing',
      blocks_to_sync: expect.stringMatching(/^[1-9]\d*$/),
    });
    await expectUnready(dave);
    held.release();
    await dave.ready();
    expect((await dave.api.get('/tokens')).status).toBe(200);

    proxy.setRule(async () => 'cut the line');
    const isCut = async () => (await dave.api.status()) === 'unavailable';
    await until(isCut, 'the node has lost its chain');
    await expectUnready(dave);
    proxy.setRule(null);
    await until(async () => (await dave.api.status()) === 'ready', 'the chain is back');
    await dave.stop();
    await proxy.stop();
  });

  it('answers 503 to what comes after a shutdown', async () => {
    const port = await freePort();
    const options = { 'api-address': `127.0.0.1:${port}` };
    const erin = await world.start('erin', { options });
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    const head = 'HTTP/1.1\r\nHost: localhost\r\n';
    socket.write(`POST /api/v1/shutdown ${head}\r\nGET /api/v1/tokens ${head}\r\n`);
    await until(() => received.includes('errors'), 'the second answer');
    expect(received).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*"shutdown"[\s\S]*HTTP\/1\.1 503 [\s\S]*"errors"/,
    );
    socket.destroy();
    expect((await erin.ended).code).toBe(0);
  });
});
