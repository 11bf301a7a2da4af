/**
 * Canaries: keys, passwords, tokens, secrets and signatures that the test knows, and a search for them in
 * everything that two nodes write, answer and refuse while they are used.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Address, fromHex, parseAddress, toHex } from '../../src/basics/hex.ts';
import { subjectOf } from '../../src/partner/nats.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { LIGHT_COST } from '../../src/signer/key-file.ts';
import { writeKeystore } from '../../src/signer/keystore.ts';
import { anvilAccount } from '../support/chain.ts';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { eventsIn } from '../unit/http/fake-feed.ts';

const PASSWORD = 'canary-password-7f3a';
const ADMIN = 'canary-admin-token-91c2';
const PAYER = 'canary-payer-token-40de';
const READER = 'canary-reader-token-b856';
const SECRET = `0x${'c0ffee11'.repeat(8)}` as const;
const SECRETHASH = secrethashOf(SECRET);
const OTHER_SECRET = `0x${'deadc0de'.repeat(8)}` as const;
const RPC_KEY = 'canary-endpoint-key-55aa';

type Name = 'alice' | 'bob';
type Watched = { node: NodeProcess; address: Address; key: string; stream: () => string };

let world: World;
let wire: NatsConnection;
const nodes = new Map<Name, Watched>();
const streams = new AbortController();
/** Everything that was read, by where. */
const read = new Map<string, string>();
const signatures = new Set<string>();
let secretsUnderSeal = 0;
let readableSecrets = 0;
let answer: Answer;

type Answer = { status: number; text: string };
type Call = { method?: string; path: string; token?: string; body?: string };

function watched(name: Name): Watched {
  const found = nodes.get(name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Asks a node; what it answers is searched later, unless it is the one answer that holds the secret. */
async function ask(name: Name, { method = 'GET', path, token = ADMIN, body }: Call, keep = true) {
  const response = await fetch(watched(name).node.api.url + path, {
    method,
    headers: {
      ...bearer(token),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const head = JSON.stringify([...response.headers]);
  if (keep)
    read.set(`${name} ${method} ${path} ${read.size}`, `${response.status} ${head} ${text}`);
  return { status: response.status, text };
}

/** A node with a key, a password and tokens that are known here. */
async function start(name: Name, index: number, options: Record<string, string>, isJson: boolean) {
  const privateKey = anvilAccount(index).getHdKey().privateKey ?? new Uint8Array();
  const key = toHex(privateKey).slice(2);
  const home = join(world.folder, `canary-${name}`);
  mkdirSync(home, { mode: 0o700 });
  const keys = join(home, 'keys');
  const written = await writeKeystore(keys, fromHex(`0x${key}`), PASSWORD, { cost: LIGHT_COST });
  if (!written.ok) throw new Error(written.detail);
  const file = (path: string, text: string) => {
    writeFileSync(join(home, path), text, { mode: 0o600 });
    return join(home, path);
  };
  const { address } = written.value;
  world.noteKey(privateKey);
  const tokens = `${ADMIN}\n${PAYER} pay max 5\n${READER} read\n`;
  const node = await world.start(name, {
    options: {
      address,
      'keystore-path': keys,
      'password-file': file('password', PASSWORD),
      'api-token-file': file('tokens', tokens),
      'log-level': 'debug',
      ...options,
    },
    env: { SLUICE_LOG_JSON: String(isJson), SLUICE_RPC_PASSTHROUGH: 'true' },
  });
  const response = await fetch(`${node.api.url}/api/v1/events/stream`, {
    headers: bearer(READER),
    signal: streams.signal,
  });
  let text = '';
  void (async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
  })().catch(() => {});
  nodes.set(name, { node, address, key, stream: () => text });
}

/** Opens what is between the nodes, and notes every signature, and that the secret was there for them alone. */
async function tapWire() {
  wire = await connect({ servers: world.natsUrl });
  wire.subscribe('sluice.*.*.*', {
    callback(_, { subject, data }) {
      for (const text of [SECRET.slice(2), Buffer.from(SECRET.slice(2), 'hex')])
        if (Buffer.from(data).includes(text)) readableSecrets += 1;
      const to = parseAddress(subject.split('.').at(-1));
      for (const { message, signature } of to === null ? [] : world.read(to, data)) {
        if ('secret' in message && message.secret === SECRET) secretsUnderSeal += 1;
        if (signature !== null) signatures.add(signature.slice(2));
      }
    },
  });
  await wire.flush();
}

beforeAll(async () => {
  world = await startWorld({ isHere: true });
  await tapWire();
  const endpoint = world.anvil.rpc.replace('://', `://canary:${RPC_KEY}@`);
  await start('alice', 5, { 'eth-rpc-endpoint': endpoint }, true);
  const page = join(world.folder, 'page');
  mkdirSync(page);
  writeFileSync(join(page, 'index.html'), '<title>wallet</title>');
  await start('bob', 6, { 'web-ui': page, rpccorsdomain: 'https://app.example' }, false);
  const { token } = world;
  const [alice, bob] = [watched('alice').address, watched('bob').address];
  await world.fund(alice, 10n * TOKENS);
  const channel = { token_address: token, partner_address: bob, total_deposit: String(TOKENS) };
  const body = JSON.stringify(channel);
  const opening = ask('alice', { method: 'PUT', path: '/api/v1/channels', body });
  expect((await world.whileMining(opening)).status).toBe(201);
  const isKnown = async () => (await ask('bob', { path: '/api/v1/channels' })).text.includes(alice);
  await until(async () => (await isKnown()) || world.nudge(), 'bob to know of the channel');
  const payment = JSON.stringify({
    amount: '5',
    identifier: '77',
    secret: SECRET,
    secret_hash: SECRETHASH,
  });
  const path = `/api/v1/payments/${token}/${bob}`;
  answer = await ask('alice', { method: 'POST', path, token: PAYER, body: payment }, false);
  expect(answer.status).toBe(200);
  for (const name of ['alice', 'bob'] as const)
    await until(
      () => eventsIn(watched(name).stream()).some(({ event }) => event === 'payment'),
      name,
    );
});
afterAll(async () => {
  streams.abort();
  await wire.close();
  await world.stop();
});

/** Calls that are refused, each with something that must not come back. */
function wrongCalls(path: string): [Call, number][] {
  const post = (body: string, token = ADMIN): Call => ({ method: 'POST', path, body, token });
  const { key } = watched('alice');
  return [
    [post(JSON.stringify({ amount: '1', secret: SECRET })), 409],
    [post(JSON.stringify({ amount: '1', secret: OTHER_SECRET, secret_hash: SECRETHASH })), 409],
    [post(JSON.stringify({ amount: '6', secret: OTHER_SECRET }), PAYER), 403],
    [post(JSON.stringify({ amount: '1', secret: OTHER_SECRET }), READER), 403],
    [post(JSON.stringify({ amount: '1', secret: OTHER_SECRET.slice(0, -2) })), 400],
    [
      post(JSON.stringify({ amount: '1', secret: [OTHER_SECRET], [key]: 1 }).replace(key, 'x')),
      400,
    ],
    [post(`{"amount":"1","secret":"${OTHER_SECRET}"`), 400],
    [post(JSON.stringify({ amount: OTHER_SECRET })), 400],
    [{ path: '/api/v1/tokens', token: `${ADMIN}x` }, 401],
    [{ path: `/api/v1/${key}` }, 404],
    [{ path: `/api/v1/payments?limit=${ADMIN}` }, 400],
    [
      { method: 'PATCH', path: '/api/v1/channels', body: JSON.stringify({ secret: OTHER_SECRET }) },
      405,
    ],
    [{ method: 'POST', path: '/rpc', body: '{"id":1,"method":"eth_sign"}' }, 200],
    [{ method: 'POST', path: '/rpc', body: '{"id":1,"method":"eth_call","params":[{}]}' }, 200],
  ];
}

describe('a node with a page', () => {
  const ofPage = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };

  it('serves the page and its configuration', async () => {
    const { url } = watched('bob').node.api;
    expect(await (await fetch(`${url}/ui/channels`)).text()).toContain('wallet');
    const config = await fetch(`${url}/ui/assets/config/config.production.json`);
    expect(await config.json()).toMatchObject({ raiden: `${url}/api/v1`, settle_timeout: 40 });
  });

  it('lets pages of the origin that was named call it, and no others', async () => {
    const path = `${watched('bob').node.api.url}/api/v1/tokens`;
    const named = await fetch(path, { headers: { ...ofPage, ...bearer(READER) } });
    expect(named.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(await named.json()).toEqual([world.token]);
    const foreign = { ...ofPage, origin: 'https://evil.example' };
    expect((await fetch(path, { headers: { ...foreign, ...bearer(READER) } })).status).toBe(403);
  });

  it('passes the page’s calls on to the chain', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
    const answer = await ask('bob', { method: 'POST', path: '/rpc', body, token: READER });
    expect(JSON.parse(answer.text).result).toBe('0x7a69');
  });
});

describe('two nodes that pay', () => {
  it('count the payment in their metrics', async () => {
    const { text: sent } = await ask('alice', { path: '/metrics', token: READER });
    expect(sent).toContain('pcn_payments_total{role="initiator",result="paid"} 1');
    expect(sent).toContain(`pcn_channels{state="opened",token="${world.token}"} 1`);
    expect(sent).toContain(`pcn_channel_capacity{token="${world.token}",side="partner"} 5\n`);
    expect(sent).toContain('pcn_payment_duration_seconds_count 1');
    expect(sent).toMatch(/pcn_messages_total{type="Update",dir="out",result="ok"} [1-9]/);
    expect(sent).toMatch(/pcn_tx_total{kind="openChannel",result="done"} 1/);
    expect(sent).toMatch(/pcn_db_commit_seconds_count [1-9]/);
    expect(sent).toMatch(/pcn_db_free_bytes [1-9]/);
    expect(sent).toMatch(/pcn_gas_reserve_ratio [1-9]/);
    expect(sent).toMatch(/pcn_chain_head [1-9]/);
    expect(sent).toContain('pcn_actor_count{machine="node",state="ready"} 1');
    expect(sent).toContain('pcn_invariant_violations_total 0');
    const { text: received } = await ask('bob', { path: '/api/v1/metrics', token: READER });
    expect(received).toContain('pcn_payments_total{role="target",result="paid"} 1');
    expect(received).toMatch(/pcn_messages_total{type="Update",dir="in",result="ok"} [1-9]/);
  });

  it('tell of the payment on their event streams, without the secret', () => {
    const [sent, received] = (['alice', 'bob'] as const).map((name) =>
      eventsIn(watched(name).stream()).find(({ event }) => event === 'payment'),
    );
    expect(sent?.data).toMatchObject({
      payment: { event: 'EventPaymentSentSuccess', amount: '5', identifier: '77' },
    });
    expect(received?.data).toMatchObject({
      payment: { event: 'EventPaymentReceivedSuccess', initiator: watched('alice').address },
    });
  });

  it('repeat the events for a client that has missed them', async () => {
    const path = '/api/v1/events/stream?last_event_id=0';
    const response = await fetch(watched('bob').node.api.url + path, { headers: bearer(READER) });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      if (eventsIn(text).some(({ event }) => event === 'payment')) break;
    }
    const ids = eventsIn(text).map(({ id }) => Number(id));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    const opened = { channel_event: { event: 'ChannelOpened' } };
    const channel = eventsIn(text).find(({ event }) => event === 'channel');
    expect(channel?.data).toMatchObject(opened);
  });

  it('have used every secret and signature that the search looks for', () => {
    expect(JSON.parse(answer.text)).toMatchObject({ secret: SECRET, secret_hash: SECRETHASH });
    expect(secretsUnderSeal).toBeGreaterThan(0);
    expect(readableSecrets).toBe(0);
    expect(signatures.size).toBeGreaterThan(1);
  });
});

it('a node never writes or answers a key, a password, a token, a secret or a signature', async () => {
  const { token } = world;
  const [alice, bob] = [watched('alice'), watched('bob')];
  for (const name of ['alice', 'bob'] as const) {
    const partner = name === 'alice' ? bob.address : alice.address;
    for (const path of [
      '/livez',
      '/readyz',
      '/metrics',
      '/api/v1/status',
      '/api/v1/settings',
      '/api/v1/contracts',
      '/api/v1/openapi.json',
      '/api/v1/docs',
      '/api/v1/docs/start.js',
      '/api/v1/channels',
      ...['/api/v1/payments', `/api/v1/channels/${token}/${partner}`, '/api/v1/pending_transfers'],
      ...['/api/v1/connections', `/api/v1/events/channels/${token}/${partner}`],
      '/api/v1/notifications',
    ])
      expect([path, (await ask(name, { path })).status]).toEqual([path, 200]);
    for (const [call, status] of wrongCalls(`/api/v1/payments/${token}/${partner}`))
      expect([call.body, (await ask(name, call)).status]).toEqual([call.body, status]);
  }
  // Nobody signed these: the nodes complain of them.
  const { tokenNetworkRegistryAddress: tokenNetworkRegistry } = world.contracts;
  const place = { chainId: BigInt(world.chain.client.chain.id), tokenNetworkRegistry };
  const subjects = [alice, bob].map(({ address }) => subjectOf(place, address));
  for (const subject of subjects)
    wire.publish(subject, `{"type":"RevealSecret","secret":"${SECRET}","key":"${alice.key}"}`);
  await wire.flush();
  for (const { node } of [alice, bob])
    await until(() => node.output.some((line) => line.includes('was refused')), 'the complaint');
  await Promise.all([alice.node.stop(), bob.node.stop()]);
  const refused = await world.launch('alice', {
    isRefused: true,
    options: { 'password-file': join(world.folder, 'canary-alice', 'tokens') },
  });
  await refused.ended;
  for (const [name, { node, stream }] of nodes) {
    read.set(`${name}'s output`, node.output.join('\n'));
    read.set(`${name}'s stream`, stream());
  }
  read.set('the output of a node that was refused', refused.output.join('\n'));

  const canaries = [alice.key, bob.key, PASSWORD, ADMIN, PAYER, READER, RPC_KEY];
  const secrets = [SECRET, OTHER_SECRET].map((secret) => secret.slice(2));
  const all = [...canaries, ...secrets, ...signatures].map((text) => text.toLowerCase());
  const found = [...read].flatMap(([where, text]) =>
    all
      .filter((canary) => text.toLowerCase().includes(canary))
      .map((canary) => ({ where, canary })),
  );
  expect(found).toEqual([]);
  expect(read.size).toBeGreaterThan(60);
});
