/**
 * Payments between two node processes while a stranger on the broker floods the payer: payments and answers of
 * the API undisturbed, then with the same flood to a subject that nobody reads (what the broker and the flooder
 * take from the machine), then with the flood to the payer, again and again for each kind of junk.
 *
 * Options: `--seconds` of each of the three, `--rounds`, `--rate` of the flood in MB/s, `--callers`, and `--only`
 * with a part of a kind's name.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Address } from '../../src/basics/hex.ts';
import { subjectOf } from '../../src/partner/nats.ts';
import { presenceOf } from '../../src/partner/nats-listener.ts';
import { createCaller } from './callers.ts';
import { commandsOf, KINDS, type Kind, payloadsOf, type Victim } from './flood-kinds.ts';
import { type FloodNetwork, startFlooder, startFloodNetwork, victimOf } from './flood-network.ts';
import { type Measured, report, round } from './report.ts';

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2.5' },
    rounds: { type: 'string', default: '2' },
    rate: { type: 'string', default: '20' },
    callers: { type: 'string', default: '32' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const SLICE_MS = Number(given.seconds) * 1_000;
const CALLERS = Number(given.callers);
const NOBODY: Address = `0x${'ff'.repeat(20)}`;
/** Between two cheap questions to the API. */
const PROBE_PAUSE_MS = 10;
const SETTLE_MS = 300;

/** `cpu`: of the payer, the payee and the broker, in milliseconds per second. */
type Slice = { paid: number; failed: number; payments: number[]; answers: number[]; cpu: number[] };

function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const TICK_MS = 10;
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Payments by all callers at once, and somebody who asks for the status, for so long. */
async function slice(network: FloodNetwork, milliseconds: number): Promise<Slice> {
  const { payer, payee, token, nats } = network;
  const pids = [payer.pid, payee.pid, nats.pid];
  const before = pids.map(cpuTime);
  const end = performance.now() + milliseconds;
  const taken: Slice = { paid: 0, failed: 0, payments: [], answers: [], cpu: [] };
  async function repeat(work: () => Promise<void>) {
    while (performance.now() < end) await work();
  }
  async function pay() {
    const caller = createCaller(payer.api);
    await repeat(async () => {
      const asked = performance.now();
      const path = `/payments/${token}/${payee.address}`;
      const { status } = await caller.call('POST', path, { amount: '1' });
      const now = performance.now();
      if (status !== 200) taken.failed += 1;
      else if (now < end) taken.paid += 1;
      taken.payments.push(now - asked);
    });
    caller.close();
  }
  async function probe() {
    const caller = createCaller(payer.api);
    await repeat(async () => {
      const asked = performance.now();
      await caller.call('GET', '/status');
      taken.answers.push(performance.now() - asked);
      await delay(PROBE_PAUSE_MS);
    });
    caller.close();
  }
  await Promise.all([probe(), ...Array.from({ length: CALLERS }, pay)]);
  const spent = performance.now() - end + milliseconds;
  taken.cpu = pids.map((pid, index) => ((cpuTime(pid) - (before[index] ?? 0)) * 1_000) / spent);
  return taken;
}

/** The slice under a flood, and how much of it the broker took, in MB/s. */
async function flooded(network: FloodNetwork, commands: Buffer) {
  const flooder = startFlooder(network, Number(given.rate) * 1e6, commands);
  const begin = performance.now();
  await delay(SETTLE_MS);
  const taken = await slice(network, SLICE_MS);
  const milliseconds = performance.now() - begin;
  const bytes = await flooder.stop();
  await delay(SETTLE_MS);
  return { ...taken, flood: bytes / milliseconds / 1_000 };
}

function sum(slices: readonly Slice[]) {
  const all = (of: (slice: Slice) => number[]) => slices.flatMap(of).sort((a, b) => a - b);
  const quantile = (values: number[], q: number) =>
    round(values[Math.floor(q * (values.length - 1))] ?? 0);
  const payments = all((one) => one.payments);
  const answers = all((one) => one.answers);
  const total = (of: (one: Slice) => number) => slices.reduce((before, one) => before + of(one), 0);
  return {
    rate: round((total(({ paid }) => paid) * 1_000) / (slices.length * SLICE_MS)),
    failed: total(({ failed }) => failed),
    payments: [quantile(payments, 0.5), quantile(payments, 0.99)],
    answers: [quantile(answers, 0.5), quantile(answers, 0.99)],
    cpu: [0, 1, 2].map((part) => round(total(({ cpu }) => cpu[part] ?? 0) / slices.length)),
  };
}

async function measure(network: FloodNetwork, victim: Victim, kind: Kind): Promise<Measured[]> {
  const commandsFor = (whom: Address) => {
    const subject = subjectOf(network.place, whom);
    return kind === 'presence questions'
      ? commandsOf(presenceOf(subject), '_INBOX.stranger', payloadsOf(kind, victim))
      : commandsOf(subject, '', payloadsOf(kind, victim));
  };
  const [real, idle] = [commandsFor(victim.address), commandsFor(NOBODY)];
  const slices: { alone: Slice[]; control: Slice[]; under: Slice[] } = {
    alone: [],
    control: [],
    under: [],
  };
  let flood = 0;
  for (let turn = 0; turn < Number(given.rounds); turn++) {
    slices.alone.push(await slice(network, SLICE_MS));
    slices.control.push(await flooded(network, idle));
    const under = await flooded(network, real);
    slices.under.push(under);
    flood += under.flood / Number(given.rounds);
  }
  const alone = sum(slices.alone);
  const control = sum(slices.control);
  const under = sum(slices.under);
  console.log(kind, { flood: `${round(flood)} MB/s`, alone, control, under });
  const row = (metric: string, value: number, reference: number, unit: string) => ({
    metric: `${kind}: ${metric}`,
    value,
    reference,
    unit,
  });
  return [
    row('payments, to undisturbed', under.rate, alone.rate, '/s'),
    row('payments, to control', under.rate, control.rate, '/s'),
    row('GET /status p99, to control', under.answers[1] ?? 0, control.answers[1] ?? 0, 'ms'),
  ];
}

const network = await startFloodNetwork(CALLERS);
try {
  const victim = await victimOf(network);
  await slice(network, 3_000);
  const rows: Measured[] = [];
  for (const kind of KINDS.filter((name) => name.includes(given.only)))
    rows.push(...(await measure(network, victim, kind)));
  report('flood', rows);
} finally {
  await network.stop();
}
