/**
 * Payments over a slow network: two node processes with a line between them on which everything takes 0, 50, 300 and
 * 1,000 ms in each direction, without loss and with every tenth payload lost; and over a fast one on a machine that five
 * busy loops for each core keep busy. How many payments a second, and how often each message is sent.
 *
 * Options: `--seconds` that payments are counted, and `--only` with one of the delays, or `busy`.
 */
import { parseArgs } from 'node:util';
import { startBusyLoops } from './busy-loops.ts';
import { type Measured, report, round } from './report.ts';
import { NEEDED_TYPES, payOverLine, type Run } from './slow-load.ts';
import { type SlowNetwork, startSlowNetwork } from './slow-network.ts';

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
/** Milliseconds from one node to the other. */
const DELAYS = [0, 50, 300, 1_000];
const CALLERS = 64;
const LOSE_EVERY = 10;
const LOOPS_PER_CORE = 5;
/** So many round trips are counted at least. */
const LEAST_TRIPS = 6;
/** Payments before anything is counted. */
const WARM_UP_MS = 4_000;

const isWanted = (name: string) => given.only === undefined || given.only === name;

function loadOf(callers: number, delayMs: number) {
  const roundTripMs = 2 * delayMs;
  const countMs = Math.max(Number(given.seconds) * 1_000, LEAST_TRIPS * roundTripMs);
  return { callers, roundTripMs, countMs };
}

function sendsRow(name: string, what: string, value: number, aim?: string): Measured {
  const row = { metric: `${name}: sends of each ${what}`, value: round(value), unit: '' };
  return aim === undefined ? row : { ...row, aim };
}

const allRow = (name: string, run: Run, aim?: string) =>
  sendsRow(name, 'message', run.allSends, aim);

function sendRows(name: string, run: Run, aim?: string): Measured[] {
  return [
    allRow(name, run, aim),
    ...NEEDED_TYPES.map((type) => sendsRow(name, type, run.sends(type), aim)),
    ...run.others.map(([type, value]) => ({
      metric: `${name}: sent, too: ${type}`,
      value,
      unit: '',
    })),
    { metric: `${name}: payments that failed`, value: run.failed, unit: '', aim: '0' },
  ];
}

const cpuOf = ({ spent }: Run) => 1_000 * spent.reduce((sum, one) => sum + one, 0);

const WITHOUT_REPEATS = '<= 1.05';

async function delayRows(network: SlowNetwork, delayMs: number): Promise<Measured[]> {
  const { line } = network;
  const name = `${delayMs} ms`;
  // Other work on the machine changes what it can do from one minute to the next.
  line.set({ delayMs: 0 });
  const fast = await payOverLine(network, loadOf(CALLERS, 0));
  line.set({ delayMs });
  // What the nodes know of the line is wrong at first.
  await payOverLine(network, { ...loadOf(CALLERS, delayMs), countMs: 4 * delayMs });
  const many = await payOverLine(network, loadOf(CALLERS, delayMs));
  const one = await payOverLine(network, loadOf(1, delayMs));
  line.set({ delayMs, loseEvery: LOSE_EVERY });
  const lossy = await payOverLine(network, loadOf(CALLERS, delayMs));
  line.set({ delayMs });
  const most = Math.min(fast.rate, (CALLERS * 1_000) / (2 * delayMs));
  const row = (what: string, value: number, unit: string, reference: number, aim?: string) => ({
    metric: `${name}${what}`,
    value: round(value),
    unit,
    reference: round(reference),
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    row(': rate', many.rate, 'payments/s', most, '>= 0.9'),
    row(': CPU time of both nodes', cpuOf(many), 'µs/payment', cpuOf(fast)),
    ...sendRows(name, many, WITHOUT_REPEATS),
    { metric: `${name}, 1 caller: p50`, value: round(one.p50), unit: 'ms' },
    allRow(`${name}, 1 caller`, one, WITHOUT_REPEATS),
    row(', loss: rate', lossy.rate, 'payments/s', many.rate, '>= 0.5'),
    ...sendRows(`${name}, loss`, lossy),
  ];
}

/**
 * The fair share: what the node that needs most CPU time for a payment could do with as much of it as one busy loop
 * gets.
 */
async function busyRows(network: SlowNetwork): Promise<Measured[]> {
  const alone = await payOverLine(network, loadOf(CALLERS, 0));
  const loops = startBusyLoops(LOOPS_PER_CORE);
  try {
    const begin = { time: performance.now(), cpu: loops.cpuMs() };
    const busy = await payOverLine(network, loadOf(CALLERS, 0));
    const got = (loops.cpuMs() - begin.cpu) / (performance.now() - begin.time);
    const fair = Math.min((1_000 * got) / Math.max(...alone.spentByMain), alone.rate);
    const rate = { value: round(busy.rate), unit: 'payments/s' };
    return [
      {
        metric: 'busy machine: without the busy loops',
        value: round(alone.rate),
        unit: 'payments/s',
      },
      { metric: 'busy machine: one busy loop gets', value: round(got), unit: 'cores' },
      { metric: 'busy machine: rate', ...rate, reference: round(fair), aim: '>= 0.8' },
      ...sendRows('busy machine', busy),
    ];
  } finally {
    await loops.stop();
  }
}

async function main(network: SlowNetwork): Promise<void> {
  await payOverLine(network, { ...loadOf(CALLERS, 0), countMs: WARM_UP_MS });
  const rows: Measured[] = [];
  for (const delayMs of DELAYS)
    if (isWanted(String(delayMs))) rows.push(...(await delayRows(network, delayMs)));
  network.line.set({ delayMs: 0 });
  if (isWanted('busy')) rows.push(...(await busyRows(network)));
  report('slow', rows);
}

const network = await startSlowNetwork(2 * CALLERS);
try {
  await main(network);
} finally {
  await network.stop();
}
