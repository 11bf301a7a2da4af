/**
 * What a long history costs: payments by 64 callers between two nodes with ten thousand payments and between two with a
 * million (`-- --payments 10000000`: with ten), in turns; what of it is written to the disk, and how long a start takes. Then the
 * long history is asked for while 64 callers pay: when the first byte comes, how long all of it takes, and for how long at
 * most the node's loop is held. Beside it the same callers alone.
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createCaller } from './callers.ts';
import { type Pair, startHistoryNetwork } from './history-network.ts';
import { longestStall } from './node-metrics.ts';
import { cpuMsOf, writtenBy } from './process-figures.ts';
import { type Measured, report, round } from './report.ts';

const FEW = 10_000;
const MANY = countIn(process.argv) ?? 1_000_000;
const CALLERS = 64;
const ALONE_MS = 6_000;
const ROUNDS = 4;
const A_ROUND = 5_000;

function countIn(args: readonly string[]): number | null {
  const place = args.indexOf('--payments');
  return place < 0 ? null : Number(args[place + 1]);
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

type Round = { rate: number; written: number[]; cpu: number[] };

async function paid({ pay, nodes }: Pair): Promise<Round> {
  const figures = () => nodes.map(({ pid }) => ({ bytes: writtenBy(pid), cpu: cpuMsOf(pid) }));
  const before = figures();
  const { rate } = await pay(A_ROUND);
  const spent = figures().map(({ bytes, cpu }, at) => ({
    bytes: bytes - (before[at]?.bytes ?? 0),
    cpu: cpu - (before[at]?.cpu ?? 0),
  }));
  return {
    rate,
    written: spent.map(({ bytes }) => bytes / A_ROUND),
    cpu: spent.map(({ cpu }) => (1_000 * cpu) / A_ROUND),
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Payments by each of the pairs in turns. */
async function comparison(few: Pair, many: Pair): Promise<Measured[]> {
  const rounds: { few: Round; many: Round }[] = [];
  for (const pair of [few, many]) await pair.pay(2_000);
  for (let n = 0; n < ROUNDS; n++) rounds.push({ few: await paid(few), many: await paid(many) });
  const row = (metric: string, unit: string, figureOf: (one: Round) => number): Measured => ({
    ...{ metric, unit },
    value: round(median(rounds.map((one) => figureOf(one.many)))),
    reference: round(median(rounds.map((one) => figureOf(one.few)))),
  });
  const ofRole = (role: string, at: number) => [
    row(`written by the ${role}`, 'bytes/payment', ({ written }) => written[at] ?? 0),
    row(`CPU time of the ${role}`, 'µs/payment', ({ cpu }) => cpu[at] ?? 0),
  ];
  const starts = [few, many].map(({ nodes }) => nodes[0].readyMs);
  return [
    row(`${CALLERS} callers: rate`, 'payments/s', ({ rate }) => rate),
    ...ofRole('payer', 0),
    ...ofRole('payee', 1),
    { metric: 'start', value: round(starts[1] ?? 0), unit: 'ms', reference: round(starts[0] ?? 0) },
  ];
}

async function reading({ nodes: [alice], path, token, partner }: Pair): Promise<Measured[]> {
  await whilePaying(alice.api, path, () => delay(ALONE_MS / 2));
  const memory = peakMemory(alice.pid);
  const alone = await whilePaying(alice.api, path, () => delay(ALONE_MS));
  const payments = `${alice.api}/api/v1/payments`;
  const quiet = await read(payments);
  const busy = await whilePaying(alice.api, path, () => read(payments));
  const last = await whilePaying(alice.api, path, () =>
    read(`${payments}?offset=${MANY - 100}&limit=100`),
  );
  const ofPartner = await read(`${payments}/${token}/${partner}?offset=${MANY - 100}&limit=100`);
  await longestStall(alice.api);
  const ofChannel = await read(`${alice.api}/api/v1/events/channels/${token}/${partner}`);
  const ofChannelStall = await longestStall(alice.api);
  const held = (name: string, stall: number) => ({
    metric: `${name}: the loop held at most`,
    value: round(stall),
    unit: 'ms',
    reference: round(alone.stall),
  });
  return [
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
    { metric: 'the last 100 with the partner', value: round(ofPartner.total), unit: 'ms' },
    { metric: 'events of the channel', value: round(ofChannel.total / 1_000), unit: 's' },
    held('events of the channel', ofChannelStall),
    {
      metric: 'memory at most',
      value: round(peakMemory(alice.pid)),
      unit: 'MiB',
      reference: round(memory),
    },
  ];
}

const network = await startHistoryNetwork([FEW, MANY], CALLERS);
try {
  const [few, many] = network.pairs;
  if (few === undefined || many === undefined) throw new Error('two pairs of nodes were started');
  const rows = await comparison(few, many);
  const isRead = MANY <= 1_000_000;
  report('history', [
    { metric: 'payments', value: MANY, unit: 'rows', reference: FEW },
    ...rows,
    ...(isRead ? await reading(many) : []),
  ]);
} finally {
  await network.end();
}
