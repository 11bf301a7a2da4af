/**
 * Direct payments through HTTP between two node processes over real NATS, each commit forced to disk:
 * one caller, then 64. Beside them what the machine's signatures would allow, measured in the same run.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { createCaller, load } from './callers.ts';
import { machineLimit } from './limit.ts';
import { report, round } from './report.ts';

const SEQUENTIAL = 1_000;
const CONCURRENT = 10_000;
const WARM_UP = 2_000;
const CALLERS = 64;

const ready = v.object({
  tokens: v.tupleWithRest([v.object({ address: v.string() })], v.unknown()),
  nats: v.nullable(v.string()),
  nodes: v.array(
    v.object({ name: v.string(), address: v.string(), api: v.string(), pid: v.number() }),
  ),
});

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const readyFile = join(folder, 'ready.json');
const devnet = spawn(
  process.execPath,
  [
    ...['dist/src/cli/main.js', 'devnet', '--nodes', '2', '--processes', '--api-port', '0'],
    ...['--api-concurrency', String(CALLERS), '--log-level', 'warn', '--ready-file', readyFile],
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
process.once('exit', () => devnet.kill('SIGINT'));

async function network() {
  while (!existsSync(readyFile)) {
    if (devnet.exitCode !== null) throw new Error('the devnet ended before it was ready');
    await delay(50);
  }
  const { tokens, nodes, nats } = v.parse(ready, JSON.parse(readFileSync(readyFile, 'utf8')));
  const [alice, bob] = nodes;
  if (alice === undefined || bob === undefined) throw new Error('the devnet has no two nodes');
  if (nats === null) throw new Error('this benchmark needs a nats-server');
  return { token: tokens[0].address, alice, bob };
}

/** Milliseconds of CPU time that a process has used, from the system's table of processes. */
function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const TICK_MS = 10;
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function main() {
  const limit = machineLimit();
  const { token, alice, bob } = await network();
  const caller = createCaller(alice.api);
  const opened = await caller.call('PUT', '/channels', {
    token_address: token,
    partner_address: bob.address,
    total_deposit: '1000000000000000000',
    settle_timeout: '500',
    reveal_timeout: '50',
  });
  if (opened.status !== 201) throw new Error(`open answered ${opened.status}: ${opened.body}`);
  const path = `/payments/${token}/${bob.address}`;
  const pay = (callers: number, total: number) =>
    load(alice.api, path, { amount: '1' }, { callers, total });
  await pay(CALLERS, WARM_UP);
  const one = await pay(1, SEQUENTIAL);
  const before = { alice: cpuTime(alice.pid), bob: cpuTime(bob.pid) };
  const many = await pay(CALLERS, CONCURRENT);
  const spent = (node: 'alice' | 'bob', pid: number) =>
    round((1000 * (cpuTime(pid) - before[node])) / CONCURRENT);
  const signing = round(1e6 / limit.sign + 1e6 / limit.recover);
  caller.close();
  report('payments', [
    { metric: 'sign', value: round(limit.sign), unit: 'per CPU second' },
    { metric: 'recover', value: round(limit.recover), unit: 'per CPU second' },
    { metric: 'fsync of 4 KiB', value: round(limit.fsync), unit: 'per second' },
    { metric: 'limit set by signatures', value: round(limit.payments), unit: 'payments/s' },
    { metric: '1 caller: rate', value: round(one.rate), unit: 'payments/s' },
    { metric: '1 caller: p50', value: round(one.p50), unit: 'ms', reference: 8 },
    { metric: '1 caller: p99', value: round(one.p99), unit: 'ms' },
    {
      metric: `${CALLERS} callers: rate`,
      value: round(many.rate),
      unit: 'payments/s',
      reference: round(limit.payments),
    },
    {
      metric: `${CALLERS} callers: CPU time of the payer`,
      value: spent('alice', alice.pid),
      unit: 'µs/payment',
      reference: round(signing * 3.5),
    },
    {
      metric: `${CALLERS} callers: CPU time of the payee`,
      value: spent('bob', bob.pid),
      unit: 'µs/payment',
      reference: round(signing * 3.5),
    },
    { metric: `${CALLERS} callers: p50`, value: round(many.p50), unit: 'ms' },
    { metric: `${CALLERS} callers: p99`, value: round(many.p99), unit: 'ms' },
    {
      metric: `${CALLERS} callers: rate of the last tenth`,
      value: round(many.last),
      unit: 'payments/s',
      reference: round(many.first),
    },
  ]);
}

try {
  await main();
} finally {
  devnet.kill('SIGINT');
  await new Promise((resolve) => devnet.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
