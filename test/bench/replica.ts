/**
 * Payments between two nodes that replicate each commit, over JetStream kept by one server and by three, beside the
 * same payments without: all in one run, one after the other, twice.
 */
import { load } from './callers.ts';
import { cpuMsOf } from './process-figures.ts';
import { type Kept, type Surroundings, startSurroundings } from './replica-network.ts';
import { type Measured, report, round } from './report.ts';

const CALLERS = 64;
const WARM_UP = 2_000;
const TOTAL = 8_000;
const ALONE = 500;
const KEPT: readonly Kept[] = ['nowhere', 'R1', 'R3'];
const ROUNDS = 2;

type Figures = { rate: number; p50: number; alone: number; cpu: number };

async function measure(surroundings: Surroundings, kept: Kept): Promise<Figures> {
  const couple = await surroundings.startCouple(kept);
  const { payer, path } = couple;
  const pay = (callers: number, total: number) =>
    load(payer.api, path, { amount: '1' }, { callers, total });
  try {
    await pay(CALLERS, WARM_UP);
    const before = cpuMsOf(payer.pid);
    const { rate, p50 } = await pay(CALLERS, TOTAL);
    const cpu = (1_000 * (cpuMsOf(payer.pid) - before)) / TOTAL;
    const { p50: alone } = await pay(1, ALONE);
    return { rate, p50, alone, cpu };
  } finally {
    await couple.stop();
  }
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

async function main(): Promise<void> {
  const surroundings = await startSurroundings(ROUNDS * KEPT.length, CALLERS);
  const found = new Map<Kept, Figures[]>(KEPT.map((kept) => [kept, []]));
  try {
    for (let number = 0; number < ROUNDS; number++)
      for (const kept of KEPT) found.get(kept)?.push(await measure(surroundings, kept));
  } finally {
    await surroundings.stop();
  }
  const of = (kept: Kept, figure: keyof Figures) =>
    mean((found.get(kept) ?? []).map((figures) => figures[figure]));
  const rows = KEPT.flatMap((kept): Measured[] => {
    const name = kept === 'nowhere' ? 'not replicated' : kept;
    const beside = (figure: keyof Figures, metric: string, unit: string): Measured => ({
      metric: `${name}: ${metric}`,
      value: round(of(kept, figure)),
      unit,
      reference: round(of('nowhere', figure)),
    });
    return [
      beside('rate', `rate, ${CALLERS} callers`, 'payments/s'),
      beside('p50', `p50, ${CALLERS} callers`, 'ms'),
      beside('alone', 'p50, one caller', 'ms'),
      beside('cpu', 'CPU time of the payer', 'µs/payment'),
    ];
  });
  report('replica', rows);
}

await main();
