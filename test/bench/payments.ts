/**
 * Payments through HTTP between node processes over real NATS, each commit forced to disk: direct ones by
 * one caller, then by 64, and mediated ones over one node by 64. Beside them what the machine's signatures
 * would allow, measured in the same run.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { createCaller, type Load, load } from './callers.ts';
import { machineLimit, SIGNATURES } from './limit.ts';
import { report, round } from './report.ts';

const SEQUENTIAL = 1_000;
const CONCURRENT = 10_000;
const WARM_UP = 2_000;
const MEDIATED = 5_000;
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
    'dist/src/cli/main.js',
    'devnet',
    '--nodes',
    '3',
    '--processes',
    '--api-port',
    '0',
    '--no-services',
    '--api-concurrency',
    String(CALLERS),
    '--log-level',
    'warn',
    '--ready-file',
    readyFile,
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
  const [alice, bob, carol] = nodes;
  if (alice === undefined || bob === undefined || carol === undefined)
    throw new Error('the devnet has no three nodes');
  if (nats === null) throw new Error('this benchmark needs a nats-server');
  return { token: tokens[0].address, alice, bob, carol };
}

type Node = v.InferOutput<typeof ready>['nodes'][number];

async function open(from: Node, to: Node, token: string): Promise<void> {
  const caller = createCaller(from.api);
  const opened = await caller.call('PUT', '/channels', {
    token_address: token,
    partner_address: to.address,
    total_deposit: '1000000000000000000',
    settle_timeout: '500',
    reveal_timeout: '50',
  });
  caller.close();
  if (opened.status !== 201) throw new Error(`open answered ${opened.status}: ${opened.body}`);
}

/** Milliseconds of CPU time that a process has used, from the system's table of processes. */
function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const TICK_MS = 10;
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The load of `work`, and the CPU time that each of the nodes spent on a payment, in microseconds. */
async function measured(nodes: readonly Node[], total: number, work: () => Promise<Load>) {
  const before = nodes.map(({ pid }) => cpuTime(pid));
  const result = await work();
  const spent = nodes.map(({ pid }, index) =>
    round((1000 * (cpuTime(pid) - (before[index] ?? 0))) / total),
  );
  return { ...result, spent };
}

async function main() {
  const limit = machineLimit();
  const { token, alice, bob, carol } = await network();
  await open(alice, bob, token);
  await open(bob, carol, token);
  const route = [alice, bob, carol].map(({ address }) => address);
  const direct = { amount: '1' };
  const mediated = { amount: '1', paths: [{ route, address_metadata: {} }] };
  const pay = (to: Node, body: object, callers: number, total: number) =>
    load(alice.api, `/payments/${token}/${to.address}`, body, { callers, total });
  await pay(bob, direct, CALLERS, WARM_UP);
  await pay(carol, mediated, CALLERS, WARM_UP);
  const one = await pay(bob, direct, 1, SEQUENTIAL);
  const many = await measured([alice, bob], CONCURRENT, () =>
    pay(bob, direct, CALLERS, CONCURRENT),
  );
  const over = await measured([alice, bob, carol], MEDIATED, () =>
    pay(carol, mediated, CALLERS, MEDIATED),
  );
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
      value: many.spent[0] ?? 0,
      unit: 'µs/payment',
      reference: round((SIGNATURES * 1e6) / limit.sign),
    },
    {
      metric: `${CALLERS} callers: CPU time of the payee`,
      value: many.spent[1] ?? 0,
      unit: 'µs/payment',
      reference: round((SIGNATURES * 1e6) / limit.recover),
    },
    { metric: `${CALLERS} callers: p50`, value: round(many.p50), unit: 'ms' },
    { metric: `${CALLERS} callers: p99`, value: round(many.p99), unit: 'ms' },
    {
      metric: `${CALLERS} callers: rate of the last tenth`,
      value: round(many.last),
      unit: 'payments/s',
      reference: round(many.first),
    },
    {
      metric: `mediated, ${CALLERS} callers: rate`,
      value: round(over.rate),
      unit: 'payments/s',
      reference: round(many.rate),
    },
    ...['payer', 'mediator', 'payee'].map((role, index) => ({
      metric: `mediated, ${CALLERS} callers: CPU time of the ${role}`,
      value: over.spent[index] ?? 0,
      unit: 'µs/payment',
    })),
    { metric: `mediated, ${CALLERS} callers: p50`, value: round(over.p50), unit: 'ms' },
    { metric: `mediated, ${CALLERS} callers: p99`, value: round(over.p99), unit: 'ms' },
  ]);
}

try {
  await main();
} finally {
  devnet.kill('SIGINT');
  await new Promise((resolve) => devnet.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
