/**
 * Two builds of the program side by side: two networks at once, and each load in short slices that take turns. A shared
 * machine is faster in one minute than in the next, but seldom within two slices: what is said is the median of the
 * pairs' ratios, and their quartiles.
 */
import { load } from './callers.ts';
import { measured, type Node, type PayNetwork, startPayNetwork } from './pay-network.ts';
import { type Measured, report, round } from './report.ts';

const PAIRS = 15;
const MOST_CALLERS = 128;
const WARM_UP = 6_000;

/** `total`: payments of a slice. */
type Work = { name: string; callers: number; total: number; isMediated: boolean };
const WORKS: readonly Work[] = [
  { name: '1 caller', callers: 1, total: 100, isMediated: false },
  { name: '64 callers', callers: 64, total: 1_280, isMediated: false },
  { name: '128 callers', callers: MOST_CALLERS, total: 1_280, isMediated: false },
  { name: 'mediated, 64 callers', callers: 64, total: 640, isMediated: true },
];

/** What one slice costs: the rate, the middle latency, the microseconds of CPU of each node on the way. */
async function slice({ token, alice, bob, carol }: PayNetwork, work: Work, total = work.total) {
  const nodes: Node[] = work.isMediated ? [alice, bob, carol] : [alice, bob];
  const route = nodes.map(({ address }) => address);
  const body = { amount: '1', paths: [{ route, address_metadata: {} }] };
  const path = `/payments/${token}/${route.at(-1)}`;
  const run = await measured(nodes, total, () =>
    load(alice.api, path, body, { callers: work.callers, total }),
  );
  const roles = work.isMediated ? ['payer', 'mediator', 'payee'] : ['payer', 'payee'];
  return new Map([
    ['rate', run.load.rate],
    ['p50', run.load.p50],
    ...roles.map((role, at): [string, number] => [`CPU time of the ${role}`, run.spent[at] ?? 0]),
  ]);
}

async function compare(before: PayNetwork, now: PayNetwork, work: Work): Promise<Measured[]> {
  const ratios = new Map<string, number[]>();
  for (let pair = 0; pair < PAIRS; pair++) {
    const [first, second] = pair % 2 === 0 ? [before, now] : [now, before];
    const one = await slice(first, work);
    const other = await slice(second, work);
    const [old, young] = pair % 2 === 0 ? [one, other] : [other, one];
    for (const [figure, value] of young)
      ratios.set(figure, [...(ratios.get(figure) ?? []), value / (old.get(figure) ?? 0)]);
  }
  return [...ratios].map(([figure, of]) => {
    const sorted = of.toSorted((a, b) => a - b);
    const quantile = (q: number) => round(sorted[Math.round(q * (sorted.length - 1))] ?? 0);
    return {
      metric: `${work.name}: ${figure}`,
      value: quantile(0.5),
      unit: `times, ${quantile(0.25)} to ${quantile(0.75)}`,
    };
  });
}

/** Prints how often the figures of the build in `folder` those of this build are. */
export async function reportBeside(folder: string): Promise<void> {
  const networks: PayNetwork[] = [];
  try {
    for (const program of [folder, '.'])
      networks.push(await startPayNetwork({ callers: MOST_CALLERS, isProfiled: false, program }));
    const [before, now] = networks;
    if (before === undefined || now === undefined) throw new Error('two networks were started');
    for (const work of WORKS.slice(1))
      for (const network of networks) await slice(network, work, WARM_UP / 2);
    const rows: Measured[] = [];
    for (const work of WORKS) rows.push(...(await compare(before, now, work)));
    report('payments-beside', rows);
  } finally {
    for (const network of networks) await network.end();
  }
}
