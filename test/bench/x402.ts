/**
 * Calls that are sold: 402, paid, 200, through a paywall in a process of its own to a server of this process, bought by one
 * caller and by 64 of this process from a direct partner. Beside them direct payments over the API in the same run.
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

const WARM_UP = 200;
const SEQUENTIAL = 500;
const CONCURRENT = 3_000;
const CALLERS = 64;
const MOST = 10n ** 18n;
const PRICE = '0.000000000000001';

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

/** Its URL, and its process. */
async function startPaywall(upstream: string, node: string, token: string, folder: string) {
  const options = {
    '--upstream': upstream,
    '--node': node,
    '--price': `GET /v1/* ${PRICE} ${token}`,
    '--key-file': join(folder, 'key'),
    '--log-level': 'warn',
  };
  const args = ['dist/src/cli/main.js', 'paywall', ...Object.entries(options).flat()];
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
  const paywall = await startPaywall(upstream.url, bob.api, token, folder);
  try {
    const caps = { most: MOST, mostPerHost: MOST, mostPerDay: MOST };
    const channel = channelClient({ node: alice.api, asset: token, ...caps });
    const client = new x402Client().register('eip155:*', channel);
    const buy = wrapFetchWithPayment(channel.fetch, client);
    const call = async () => {
      const answer = await buy(`${paywall.url}/v1/weather`);
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      await answer.text();
    };
    const pay = (callers: number, total: number) =>
      load(alice.api, `/payments/${token}/${bob.address}`, { amount: '1' }, { callers, total });
    await timed(WARM_UP, CALLERS, call);
    await pay(CALLERS, WARM_UP);
    const one = await timed(SEQUENTIAL, 1, call);
    const onePayment = await pay(1, SEQUENTIAL);
    const parts = {
      'buying program': process.pid,
      paywall: paywall.pid,
      "buyer's node": alice.pid,
      "seller's node": bob.pid,
    };
    const before = Object.values(parts).map(cpuMsOf);
    const many = await timed(CONCURRENT, CALLERS, call);
    const spent = Object.entries(parts).map(([name, pid], at) => ({
      metric: `CPU time of the ${name}`,
      value: round((1_000 * (cpuMsOf(pid) - (before[at] ?? 0))) / CONCURRENT),
      unit: 'µs/call',
    }));
    const manyPayments = await pay(CALLERS, CONCURRENT);
    report('x402', [
      ...rowsOf('call, 1 caller', one, 'calls/s'),
      ...rowsOf('payment, 1 caller', onePayment, 'payments/s'),
      ...rowsOf(`call, ${CALLERS} callers`, many, 'calls/s'),
      ...spent,
      ...rowsOf(`payment, ${CALLERS} callers`, manyPayments, 'payments/s'),
    ]);
  } finally {
    paywall.end();
    upstream.close();
    await network.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
