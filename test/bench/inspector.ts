/**
 * What it costs to be watched: direct payments between two nodes with nobody watching, and with one reader
 * (a process of its own) of all that the payer does, in turns. On a machine that others use, the CPU time of
 * the payer says more than the rate.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { createCaller, load } from './callers.ts';
import { report, round } from './report.ts';

const CALLERS = 16;
const ROUNDS = 6;
const PAYMENTS = 1_500;
const WARM_UP = 1_500;

const ready = v.object({
  tokens: v.tupleWithRest([v.object({ address: v.string() })], v.unknown()),
  nodes: v.tuple([node(), node()]),
});
function node() {
  return v.object({ address: v.string(), api: v.string(), pid: v.number() });
}
type Node = v.InferOutput<ReturnType<typeof node>>;

/** The reader prints how many steps and bytes it got when it is ended. */
const READER = `
const { get } = require('node:http');
let bytes = 0, steps = 0, gaps = 0;
get(process.argv[1], (answer) => answer.setEncoding('latin1').on('data', (text) => {
  if (bytes === 0) process.send('watches');
  bytes += text.length;
  steps += text.split('\\nevent: step\\n').length - 1;
  gaps += text.split('"reason":"slow"').length - 1;
}));
process.on('message', () => process.send({ bytes, steps, gaps }, () => process.exit()));
`;
const read = v.object({ bytes: v.number(), steps: v.number(), gaps: v.number() });
type Read = v.InferOutput<typeof read>;

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const readyFile = join(folder, 'ready.json');
const devnet = spawn(
  process.execPath,
  [
    'dist/src/cli/main.js',
    'devnet',
    '--nodes',
    '2',
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
  const { tokens, nodes } = v.parse(ready, JSON.parse(readFileSync(readyFile, 'utf8')));
  return { token: tokens[0].address, payer: nodes[0], payee: nodes[1] };
}

async function open({ payer, payee, token }: Awaited<ReturnType<typeof network>>): Promise<void> {
  const caller = createCaller(payer.api);
  const { status, body } = await caller.call('PUT', '/channels', {
    token_address: token,
    partner_address: payee.address,
    total_deposit: '1000000000000000000',
  });
  caller.close();
  if (status !== 201) throw new Error(`open answered ${status}: ${body}`);
}

/** Milliseconds that the threads of a process were on a processor. */
function cpuOf({ pid }: Node): { main: number; all: number } {
  let all = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) all += onProcessor(pid, task);
  return { main: onProcessor(pid, String(pid)), all };
}

/** A thread may end while it is looked at. */
function onProcessor(pid: number, task: string): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}

async function watch({ api }: Node): Promise<ChildProcess> {
  const stdio: ('ignore' | 'inherit' | 'ipc')[] = ['ignore', 'ignore', 'inherit', 'ipc'];
  const reader = spawn(process.execPath, ['-e', READER, `${api}/inspector/events`], { stdio });
  await new Promise((resolve) => reader.once('message', resolve));
  return reader;
}

async function leave(reader: ChildProcess): Promise<Read> {
  const told = new Promise((resolve) => reader.once('message', resolve));
  reader.send('leave');
  return v.parse(read, await told);
}

type Cost = {
  seconds: number;
  main: number;
  all: number;
  bytes: number;
  steps: number;
  gaps: number;
};
const nothing: Cost = { seconds: 0, main: 0, all: 0, bytes: 0, steps: 0, gaps: 0 };

async function main() {
  const parts = await network();
  const { token, payer, payee } = parts;
  await open(parts);
  const path = `/payments/${token}/${payee.address}`;
  const pay = (total: number) =>
    load(payer.api, path, { amount: '1' }, { callers: CALLERS, total });

  async function measured(before: Cost): Promise<Cost> {
    const cpu = cpuOf(payer);
    const { rate } = await pay(PAYMENTS);
    const after = cpuOf(payer);
    return {
      ...before,
      seconds: before.seconds + PAYMENTS / rate,
      main: before.main + after.main - cpu.main,
      all: before.all + after.all - cpu.all,
    };
  }

  await pay(WARM_UP);
  let alone = nothing;
  let watched = nothing;
  for (let round = 0; round < ROUNDS; round += 1) {
    alone = await measured(alone);
    const reader = await watch(payer);
    const cost = await measured(watched);
    const { bytes, steps, gaps } = await leave(reader);
    watched = {
      ...cost,
      bytes: cost.bytes + bytes,
      steps: cost.steps + steps,
      gaps: cost.gaps + gaps,
    };
  }
  const all = ROUNDS * PAYMENTS;
  const each = (milliseconds: number) => round((1_000 * milliseconds) / all);
  report('inspector', [
    {
      metric: 'rate, watched; alone',
      value: round(all / watched.seconds),
      unit: 'payments/s',
      reference: round(all / alone.seconds),
    },
    {
      metric: "CPU time of the node's own thread, watched; alone",
      value: each(watched.main),
      unit: 'µs/payment',
      reference: each(alone.main),
    },
    {
      metric: 'CPU time of the whole node, watched; alone',
      value: each(watched.all),
      unit: 'µs/payment',
      reference: each(alone.all),
    },
    { metric: 'steps told', value: round(watched.steps / watched.seconds), unit: 'per second' },
    { metric: 'gaps', value: round(watched.gaps / watched.seconds), unit: 'per second' },
    { metric: 'sent', value: round(watched.bytes / 1_024 / watched.seconds), unit: 'KiB/s' },
  ]);
}

try {
  await main();
} finally {
  devnet.kill('SIGINT');
  await new Promise((resolve) => devnet.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
