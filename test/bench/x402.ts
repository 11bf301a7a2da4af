/**
 * Calls that are sold, through a paywall in a process of its own to a server of this process, bought by one caller and by 64
 * of this process from a direct partner: each paid by itself, on a tab, and on a tab that is in a stream of one server, too. Beside them, in the same run, direct payments
 * over the API, and the server behind asked without a paywall.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { channelClient } from '../../src/x402/client.ts';
import { load } from './callers.ts';
import { startPayNetwork } from './pay-network.ts';
import { cpuMsOf } from './process-figures.ts';
import { type Measured, report, round } from './report.ts';
import { startCluster } from './stream-cluster.ts';

const WARM_UP = 200;
const SEQUENTIAL = 500;
const CONCURRENT = 3_000;
const CALLERS = 64;
const MOST = 10n ** 18n;
const PRICE = '0.000000000000001';
/** A thousand calls, and as many as this takes. */
const TAB = ['0.000000000001', '1'];
const ON_TAB = 10_000;

type Timed = { rate: number; p50: number; p99: number };

async function timed(total: number, callers: number, call: () => Promise<void>): Promise<Timed> {
  const times: number[] = [];
  let left = total;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        const before = performance.now();
        await call();
        times.push(performance.now() - before);
      }
    }),
  );
  const rate = (1_000 * total) / (performance.now() - begun);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { rate, p50: at(0.5), p99: at(0.99) };
}

async function startUpstream() {
  const server = createServer((_, response) => void response.end('dry')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
  return { url, close: () => server.close() };
}

type Shop = { upstream: string; node: string; token: string; folder: string };

/** Its URL, and its process. `more`: options. */
async function startPaywall({ upstream, node, token, folder }: Shop, more: readonly string[] = []) {
  const options = {
    '--upstream': upstream,
    '--node': node,
    '--price': `GET /v1/* ${PRICE} ${token}`,
    '--key-file': join(folder, 'key'),
    '--tab': `${TAB.join(' ')} ${token}`,
    '--tab-file': join(folder, 'tabs.db'),
    '--log-level': 'warn',
  };
  const args = ['dist/src/cli/main.js', 'paywall', ...Object.entries(options).flat(), ...more];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGINT'));
  let said = '';
  for await (const chunk of child.stdout ?? []) {
    said += chunk;
    const [, url] = /^ready: (\S+)$/m.exec(said) ?? [];
    if (url !== undefined) return { url, pid: child.pid ?? 0, end: () => child.kill('SIGINT') };
  }
  throw new Error('the paywall ended before it was ready');
}

const rowsOf = (name: string, { rate, p50, p99 }: Timed, unit: string): Measured[] => [
  { metric: `${name}: rate`, value: round(rate), unit },
  { metric: `${name}: p50`, value: round(p50), unit: 'ms' },
  { metric: `${name}: p99`, value: round(p99), unit: 'ms' },
];

async function main() {
  const network = await startPayNetwork({ callers: CALLERS, isProfiled: false });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-x402-'));
  const upstream = await startUpstream();
  const { token, alice, bob } = network;
  const shop = { upstream: upstream.url, node: bob.api, token };
  const paywall = await startPaywall({ ...shop, folder });
  const cluster = await startCluster(folder, { servers: 1 });
  await cluster.create('tabs', 1);
  const replicated = await startPaywall({ ...shop, folder: mkdtempSync(join(folder, 'two-')) }, [
    ...['--nats', cluster.url, '--replicate', 'tabs'],
  ]);
  try {
    const caps = { most: MOST, mostPerHost: MOST, mostPerDay: MOST };
    const buyer = (tabs: { mostOnTab?: bigint }) => {
      const channel = channelClient({ node: alice.api, asset: token, ...caps, ...tabs });
      return wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));
    };
    const callOf = (buy: typeof fetch, url: string) => async () => {
      const answer = await buy(`${url}/v1/weather`);
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      await answer.text();
    };
    const call = callOf(buyer({}), paywall.url);
    const onTab = callOf(buyer({ mostOnTab: MOST }), paywall.url);
    const inStream = callOf(buyer({ mostOnTab: MOST }), replicated.url);
    const behind = callOf(fetch, upstream.url);
    const pay = (callers: number, total: number) =>
      load(alice.api, `/payments/${token}/${bob.address}`, { amount: '1' }, { callers, total });
    for (const one of [call, onTab, onTab, onTab, inStream, inStream, inStream, behind])
      await timed(WARM_UP, CALLERS, one);
    await pay(CALLERS, WARM_UP);
    const parts = {
      'buying program': process.pid,
      paywall: paywall.pid,
      'paywall with a stream': replicated.pid,
      "buyer's node": alice.pid,
      "seller's node": bob.pid,
    };
    const costly = async (name: string, total: number, work: () => Promise<void>) => {
      const before = Object.values(parts).map(cpuMsOf);
      const many = await timed(total, CALLERS, work);
      const spent = Object.entries(parts).map(([part, pid], at) => ({
        metric: `${name}: CPU time of the ${part}`,
        value: round((1_000 * (cpuMsOf(pid) - (before[at] ?? 0))) / total),
        unit: 'µs/call',
      }));
      return [...rowsOf(name, many, 'calls/s'), ...spent];
    };
    report('x402', [
      ...rowsOf('payment, 1 caller', await pay(1, SEQUENTIAL), 'payments/s'),
      ...rowsOf('call, 1 caller', await timed(SEQUENTIAL, 1, call), 'calls/s'),
      ...rowsOf('on a tab, 1 caller', await timed(SEQUENTIAL, 1, onTab), 'calls/s'),
      ...rowsOf('server behind, 1 caller', await timed(SEQUENTIAL, 1, behind), 'calls/s'),
      ...rowsOf(`payment, ${CALLERS} callers`, await pay(CALLERS, CONCURRENT), 'payments/s'),
      ...(await costly(`call, ${CALLERS} callers`, CONCURRENT, call)),
      ...(await costly(`on a tab, ${CALLERS} callers`, ON_TAB, onTab)),
      ...(await costly(`on a tab in a stream, ${CALLERS} callers`, ON_TAB, inStream)),
      ...(await costly(`server behind, ${CALLERS} callers`, ON_TAB, behind)),
    ]);
  } finally {
    paywall.end();
    replicated.end();
    upstream.close();
    await network.end();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
