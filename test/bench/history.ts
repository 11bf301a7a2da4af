/**
 * The history of a node with a million payments, asked for while 64 callers pay: when the first byte comes, how
 * long all of it takes, and for how long at most the node's loop is held. Beside it the same callers alone.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import * as v from 'valibot';
import { createCaller } from './callers.ts';
import { longestStall } from './node-metrics.ts';
import { report, round } from './report.ts';

const PAYMENTS = 1_000_000;
const ROWS_AT_ONCE = 5_000;
const CALLERS = 64;
const ALONE_MS = 6_000;

const ready = v.object({
  tokens: v.tupleWithRest([v.object({ address: v.string() })], v.unknown()),
  nodes: v.tuple([
    v.object({ address: v.string(), api: v.string(), database: v.string(), pid: v.number() }),
    v.object({ address: v.string() }),
  ]),
});

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
    '--open',
    '--data',
    join(folder, 'data'),
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

/** Copies the newest payment of the node's history until there are so many. */
function fill(url: string): void {
  const database = new Libsql(url.replace(/^file:/, ''));
  database.pragma('busy_timeout = 5000');
  const columns = 'event, token, token_network, partner, payment_id, amount, time, channel, block';
  const copy = database.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS_AT_ONCE})
     INSERT INTO payments (${columns}, secrethash)
     SELECT ${columns}, '0x' || lower(hex(randomblob(32))) FROM n,
     (SELECT * FROM payments ORDER BY seq DESC LIMIT 1)`,
  );
  for (let rows = 0; rows < PAYMENTS; rows += ROWS_AT_ONCE) copy.run();
  database.close();
}

type Read = { first: number; total: number; bytes: number };

/** Milliseconds until the first byte of the body and until its end. */
function read(url: string): Promise<Read> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const asked = get(url, (response) => {
      let first = 0;
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        if (first === 0) first = performance.now() - begin;
        bytes += part.length;
      });
      response.on('end', () => resolve({ first, total: performance.now() - begin, bytes }));
      response.on('error', reject);
    });
    asked.on('error', reject);
  });
}

/** Megabytes that the process has held at most. */
function peakMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** Payments by 64 callers until `work` is done; the longest time that the loop was held meanwhile. */
async function whilePaying<T>(api: string, path: string, work: () => Promise<T>) {
  let isOver = false;
  let paid = 0;
  async function pay() {
    const caller = createCaller(api);
    while (!isOver) {
      const { status, body } = await caller.call('POST', path, { amount: '1' });
      if (status !== 200) throw new Error(`payment answered ${status}: ${body}`);
      paid += 1;
    }
    caller.close();
  }
  const callers = Array.from({ length: CALLERS }, pay);
  await longestStall(api);
  const before = { paid, time: performance.now() };
  const result = await work();
  const rate = ((paid - before.paid) * 1_000) / (performance.now() - before.time);
  const stall = await longestStall(api);
  isOver = true;
  await Promise.all(callers);
  return { result, rate, stall };
}

async function main() {
  while (!existsSync(readyFile)) {
    if (devnet.exitCode !== null) throw new Error('the devnet ended before it was ready');
    await delay(50);
  }
  const { tokens, nodes } = v.parse(ready, JSON.parse(readFileSync(readyFile, 'utf8')));
  const [alice, bob] = nodes;
  const path = `/payments/${tokens[0].address}/${bob.address}`;
  fill(alice.database);
  await whilePaying(alice.api, path, () => delay(ALONE_MS / 2));
  const memory = peakMemory(alice.pid);
  const alone = await whilePaying(alice.api, path, () => delay(ALONE_MS));
  const payments = `${alice.api}/api/v1/payments`;
  const quiet = await read(payments);
  const busy = await whilePaying(alice.api, path, () => read(payments));
  const last = await whilePaying(alice.api, path, () =>
    read(`${payments}?offset=${PAYMENTS - 100}&limit=100`),
  );
  const events = payments.replace(/payments$/, `events/channels${path.replace('/payments', '')}`);
  await longestStall(alice.api);
  const ofChannel = await read(events);
  const ofChannelStall = await longestStall(alice.api);
  const held = (name: string, stall: number) => ({
    metric: `${name}: the loop held at most`,
    value: round(stall),
    unit: 'ms',
    reference: round(alone.stall),
  });
  report('history', [
    { metric: 'payments', value: PAYMENTS, unit: 'rows' },
    { metric: 'text', value: round(busy.result.bytes / 1e6), unit: 'MB' },
    { metric: 'quiet node: first byte', value: round(quiet.first), unit: 'ms' },
    { metric: 'quiet node: all', value: round(quiet.total / 1_000), unit: 's' },
    { metric: `${CALLERS} callers: first byte`, value: round(busy.result.first), unit: 'ms' },
    { metric: `${CALLERS} callers: all`, value: round(busy.result.total / 1_000), unit: 's' },
    {
      metric: `${CALLERS} callers: payments meanwhile`,
      value: round(busy.rate),
      unit: 'payments/s',
      reference: round(alone.rate),
    },
    held(`${CALLERS} callers`, busy.stall),
    { metric: 'the last 100 by offset', value: round(last.result.total), unit: 'ms' },
    held('the last 100 by offset', last.stall),
    { metric: 'events of the channel', value: round(ofChannel.total / 1_000), unit: 's' },
    held('events of the channel', ofChannelStall),
    {
      metric: 'memory at most',
      value: round(peakMemory(alice.pid)),
      unit: 'MiB',
      reference: round(memory),
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
