/**
 * Payments through HTTP between node processes over real NATS, each commit forced to disk: direct ones by one caller,
 * by 64 and by 128, and mediated ones over one node by 64. Beside them what the machine's signatures would allow,
 * measured before and after each. With `--profile` instead where the CPU time of the payer and the payee goes, with `--trace`
 * what a single caller waits for, with `--beside FOLDER` how this build compares with the one in that folder.
 */
import { reportBeside } from './beside.ts';
import { type Load, load } from './callers.ts';
import { besideLimit, type Limit, OF_ALL_MESSAGES, SIGNATURES } from './limit.ts';
import { measured, type Node, type PayNetwork, startPayNetwork } from './pay-network.ts';
import { attach, budgetOf, PART_NAMES } from './profile.ts';
import { type Measured, report, round } from './report.ts';
import { printTrace } from './trace.ts';

const SEQUENTIAL = 1_000;
const CONCURRENT = 10_000;
const WARM_UP = 2_000;
const MEDIATED = 5_000;
const CALLERS = 64;
/** Nearly as many locks as one channel can have pending: each payment that is under way has one. */
const MANY_CALLERS = 128;

const isProfiled = process.argv.includes('--profile');

type Run = Awaited<ReturnType<typeof measured<Load>>>;

function limitRows(limit: Limit): Measured[] {
  return [
    { metric: 'sign', value: round(limit.sign), unit: 'per CPU second' },
    { metric: 'recover', value: round(limit.recover), unit: 'per CPU second' },
    { metric: 'fsync of 4 KiB', value: round(limit.fsync), unit: 'per second' },
    {
      metric: `signatures allow, ${OF_ALL_MESSAGES} of them`,
      value: round(limit.allSigned),
      unit: 'payments/s',
    },
    {
      metric: `signatures allow, ${SIGNATURES} of them`,
      value: round(limit.payments),
      unit: 'payments/s',
    },
  ];
}

/** `reference`: payments a second to compare the rate with. */
function loadRows(name: string, run: Run, reference: number): Measured[] {
  const { load } = run;
  return [
    {
      metric: `${name}: rate`,
      value: round(load.rate),
      unit: 'payments/s',
      reference: round(reference),
    },
    { metric: `${name}: p50`, value: round(load.p50), unit: 'ms' },
    { metric: `${name}: p99`, value: round(load.p99), unit: 'ms' },
    {
      metric: `${name}: rate of the last tenth`,
      value: round(load.last),
      unit: 'payments/s',
      reference: round(load.first),
    },
    {
      metric: `${name}: longest stall of a node`,
      value: round(run.stallMs),
      unit: 'ms',
      reference: 25,
    },
  ];
}

function costRows(name: string, run: Run, roles: readonly string[]): Measured[] {
  const own = { metric: `${name}: CPU time of the callers`, value: round(run.ownSpent) };
  const rows = roles.flatMap((role, at): Measured[] => [
    {
      metric: `${name}: CPU time of the ${role}`,
      value: round(run.spent[at] ?? 0),
      unit: 'µs/payment',
    },
    {
      metric: `${name}: disk of the ${role}`,
      value: round(run.bytes[at] ?? 0),
      unit: 'bytes/payment',
    },
    {
      metric: `${name}: written by the ${role}`,
      value: round(run.written[at] ?? 0),
      unit: 'bytes/payment',
    },
    { metric: `${name}: busy, the ${role}`, value: round(run.busy[at] ?? 0), unit: 'of the time' },
    {
      metric: `${name}: commits of the ${role}`,
      value: round(run.commits[at] ?? 0),
      unit: '/payment',
    },
    {
      metric: `${name}: Updates of the ${role}`,
      value: round(run.updates[at] ?? 0),
      unit: '/payment',
    },
  ]);
  return [...rows, { ...own, unit: 'µs/payment' }];
}

/**
 * Microseconds of CPU for each payment, by part of the program and role: shares of what a node uses without a profiler,
 * whose samples count the time that other processes take, too.
 */
async function profileRows(
  { debuggerOf, alice, bob }: PayNetwork,
  pay: () => Promise<unknown>,
): Promise<Measured[]> {
  const { spent } = await measured([alice, bob], CONCURRENT, pay);
  const roles = [
    { role: 'payer', node: alice },
    { role: 'payee', node: bob },
  ];
  const profilers = await Promise.all(
    roles.map(async ({ role, node }) => {
      const url = debuggerOf(node);
      if (url === null) throw new Error(`the debugger of the ${role} does not listen`);
      return { role, profiler: await attach(url) };
    }),
  );
  await Promise.all(profilers.map(({ profiler }) => profiler.start()));
  await pay();
  const tables = await Promise.all(
    profilers.map(async ({ role, profiler }, at) => {
      const budget = budgetOf(await profiler.stop());
      profiler.close();
      const sampled = [...budget.values()].reduce((sum, part) => sum + part, 0);
      const used = spent[at] ?? 0;
      return PART_NAMES.map((part) => ({
        metric: `${role}: ${part}`,
        value: round((used * (budget.get(part) ?? 0)) / sampled),
        unit: 'µs/payment',
      }));
    }),
  );
  return tables.flat();
}

async function main(network: PayNetwork): Promise<void> {
  const { token, alice, bob, carol } = network;
  const route = [alice, bob, carol].map(({ address }) => address);
  const direct = { amount: '1' };
  const mediated = { amount: '1', paths: [{ route, address_metadata: {} }] };
  const pay = (to: Node, body: object, callers: number, total: number) =>
    load(alice.api, `/payments/${token}/${to.address}`, body, { callers, total });
  const payBob = (callers: number, total: number) =>
    measured([alice, bob], total, () => pay(bob, direct, callers, total));
  await pay(bob, direct, CALLERS, WARM_UP);
  if (isProfiled) {
    const rows = await profileRows(network, () => pay(bob, direct, CALLERS, CONCURRENT));
    return report('payments-profile', rows);
  }
  await pay(carol, mediated, CALLERS, WARM_UP);
  const one = await payBob(1, SEQUENTIAL);
  const { run: some, limit } = await besideLimit(() => payBob(CALLERS, CONCURRENT));
  const { run: many, limit: later } = await besideLimit(() => payBob(MANY_CALLERS, CONCURRENT));
  const over = await measured([alice, bob, carol], MEDIATED, () =>
    pay(carol, mediated, CALLERS, MEDIATED),
  );
  report('payments', [
    ...limitRows(limit),
    { metric: '1 caller: rate', value: round(one.load.rate), unit: 'payments/s' },
    { metric: '1 caller: p50', value: round(one.load.p50), unit: 'ms', reference: 6 },
    { metric: '1 caller: p99', value: round(one.load.p99), unit: 'ms' },
    ...loadRows(`${CALLERS} callers`, some, limit.allSigned),
    ...costRows(`${CALLERS} callers`, some, ['payer', 'payee']),
    ...loadRows(`${MANY_CALLERS} callers`, many, later.allSigned),
    ...loadRows(`mediated, ${CALLERS} callers`, over, some.load.rate),
    ...costRows(`mediated, ${CALLERS} callers`, over, ['payer', 'mediator', 'payee']),
  ]);
}

const [, folder] = process.argv.slice(process.argv.indexOf('--beside'));
if (process.argv.includes('--trace')) await printTrace();
else if (process.argv.includes('--beside')) await reportBeside(folder ?? '.');
else {
  const network = await startPayNetwork({ callers: MANY_CALLERS, isProfiled });
  try {
    await main(network);
  } finally {
    await network.end();
  }
}
