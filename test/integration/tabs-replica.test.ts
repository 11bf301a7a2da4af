/** Tabs in a stream: a second paywall goes on with them, whether the first one is dead or has only slept. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChannelClient, channelClient } from '../../src/x402/client.ts';
import { listening } from '../support/http-server.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { callProgram, type Program, runProgram, startProgram } from '../support/program.ts';
import { createStream } from '../support/replicated.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const STREAM = 'tabs';
const CALLERS = 8;
const PRICE = 5n;
/** Calls that may be under way, or not yet charged in the stream, when a paywall is lost. */
const UNCHARGED = 2 * CALLERS;

/** Fewer than are bought of one paywall. */
const NEWEST = 90;

type Paywall = { program: Program; url: string };

let world: World;
let pair: Pair;
let ends: (() => void)[];
let upstream: string;
/** Calls that the server behind has seen. */
let served: number;
/** The one that sells, whom the proxy before all of them asks. */
let seller: Paywall;
let proxy: TcpProxy;
let shop: string;
/** Every call with a ticket that was answered, as it was sent. */
let answered: { path: string; headers: Headers }[];
let losses: number;
let channel: ChannelClient;
let buy: typeof fetch;

beforeAll(async () => {
  ends = [];
  answered = [];
  served = 0;
  losses = 0;
  world = await startWorld({ hasStreams: true, isHere: true });
  await createStream(world, 1, STREAM);
  proxy = await startTcpProxy(() => Number(new URL(seller.url).port));
  shop = proxy.url.replace('nats:', 'http:');
  pair = await startPair(world, 100_000n);
  await pair.open();
  upstream = await listening((_, response) => {
    served++;
    response.end('dry');
  }, ends);
  channel = channelClient({
    ...{ node: pair.nodes.alice.api.url, asset: world.token, fetch: noting },
    ...{ most: PRICE, mostPerHost: 50_000n, mostPerDay: 50_000n, mostOnTab: 5_000n },
  });
  buy = wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));
}, 120_000);
afterAll(async () => {
  for (const end of ends) end();
  await proxy?.stop();
  await world?.stop();
});

const noting: typeof fetch = async (input, init) => {
  const { url, headers } = new Request(input, init);
  const answer = await fetch(input, init);
  if (answer.ok && url.startsWith(shop) && headers.has('payment-signature'))
    answered.push({ path: new URL(url).pathname, headers });
  return answer;
};

function optionsOf(name: string): Record<string, string> {
  const folder = join(world.folder, `shop ${name}`);
  mkdirSync(folder, { recursive: true });
  return {
    '--upstream': upstream,
    '--node': pair.nodes.bob.api.url,
    '--pay-to': pair.address.bob,
    '--decimals': `${world.token}=0`,
    '--price': `/v1/* ${PRICE} ${world.token}`,
    '--tab': `500 50000 ${world.token}`,
    '--public-url': shop,
    '--tab-file': join(folder, 'tabs.db'),
    '--key-file': join(folder, 'paywall.key'),
    '--log-level': 'info',
  };
}

const replicated = () => ['--nats', world.natsUrl, '--replicate', STREAM];
const STANDBY = ['--standby', '--takeover-after', '3'];

/** The paywall of the name, with the key of the first one. */
function start(name: string, more: readonly string[] = []): Program {
  const options = optionsOf(name);
  if (name !== 'one')
    copyFileSync(optionsOf('one')['--key-file'] ?? '', options['--key-file'] ?? '');
  const args = [...Object.entries(options).flat(), ...replicated(), ...more];
  const program = startProgram(['paywall', ...args]);
  ends.push(() => program.signal('SIGKILL'));
  return program;
}

/** Resolves when it sells, which the proxy sees. */
async function selling(program: Program): Promise<void> {
  const [, url = ''] = await program.says(/^ready: (\S+)$/m);
  seller = { program, url };
  proxy.set('open');
}

const follows = (program: Program) => program.says(/^standby: follows tabs/m);

/** Buys so many calls and more. `lose` the one that sells when a third of them are answered; `heir` sells the rest. */
async function buyWhile(count: number, lose: () => void, heir: Program): Promise<void> {
  const from = answered.length;
  const isDone = () => answered.length >= from + count;
  const calling = Array.from({ length: CALLERS }, async () => {
    while (!isDone())
      await buy(`${shop}/v1/weather`)
        .then((answer) => answer.text())
        .catch(() => pause(20));
  });
  await until(() => answered.length >= from + count / 3, 'some calls are answered');
  lose();
  losses++;
  proxy.set('cut');
  await selling(heir);
  await Promise.all(calling);
}

/** Shows the newest tickets that have bought something once more, all at once; what is said to them. */
async function replay(url: string): Promise<string[]> {
  const signal = AbortSignal.timeout(20_000);
  const again = answered.slice(-NEWEST).map(async ({ path, headers }) => {
    const answer = await fetch(url + path, { headers, signal });
    const text = await answer.text();
    return answer.ok ? text : String(JSON.parse(text).error);
  });
  const all = await Promise.all(again.map((one) => one.catch(() => 'broken off')));
  return [...new Set(all)];
}

it('sells on where the first paywall was killed, and takes no ticket a second time', async () => {
  const first = start('one');
  await selling(first);
  const second = start('two', STANDBY);
  await follows(second);
  await buyWhile(150, () => first.signal('SIGKILL'), second);
  expect(await replay(seller.url)).toEqual(['counter_used']);
}, 120_000);

it('sells nothing any more when it has slept while another one took its place', async () => {
  const { program, url } = seller;
  // The first one begins again as a standby: its file has what the stream has not.
  const heir = start('one', STANDBY);
  await follows(heir);
  await buyWhile(150, () => program.signal('SIGSTOP'), heir);
  const replaying = replay(url);
  program.signal('SIGCONT');
  expect(await program.ended).toBe(4);
  expect(program.stderr()).toContain('another paywall has taken the stream');
  expect(await replaying).not.toContain('dry');
  expect(await replay(seller.url)).toEqual(['counter_used']);
}, 120_000);

it('takes no ticket while the stream is away, and goes on when that is back', async () => {
  const status = () =>
    buy(`${shop}/v1/weather`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.status,
      () => null,
    );
  const startBroker = await world.killBroker();
  await until(async () => (await status()) === 503, 'it knows that the stream is away');
  const before = served;
  expect(await status()).toBe(503);
  expect(served).toBe(before);
  await startBroker();
  losses++;
  await until(async () => (await status()) === 200, 'it sells on');
}, 120_000);

it('is refused when it would write into the stream of another one, or without it', async () => {
  const late = await runProgram([
    ...['paywall', ...Object.entries(optionsOf('two')).flat(), ...replicated()],
  ]);
  expect(late).toMatchObject({ code: 4, stderr: expect.stringContaining('--standby') });
  const alone = await callProgram(['paywall', ...Object.entries(optionsOf('two')).flat()]);
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('--leave-stream') });
}, 60_000);

it('pays the rest back once, and has charged what it can answer for', async () => {
  await channel.closeTabs();
  const earned = async () => (await pair.channelOf('bob')).balance - 100_000n;
  await until(async () => (await earned()) <= BigInt(served) * PRICE, 'the rest is back', 90_000);
  const least = answered.length - UNCHARGED * losses;
  expect(await earned()).toBeGreaterThanOrEqual(BigInt(least) * PRICE);
  expect(served).toBeGreaterThanOrEqual(answered.length);
}, 120_000);
