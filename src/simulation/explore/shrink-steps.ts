/** Ways to make a scenario smaller. They change the plain data of its file; the result need not be a valid scenario. */

export type Fields = Record<string, unknown>;
/**
 * Returns several scenarios, each smaller than the given one. `block`: the block in which it fails; null: only at
 * its end.
 */
type Way = (scenario: Fields, block: number | null) => Fields[];

const LISTS = ['attacks', 'faults', 'traffic', 'steps', 'nodes', 'expectations'];
const SECTIONS = ['services', 'chain', 'defaults'];
const FEWEST_NODES = 1;
const LEAST_RATE = 0.02;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsAt(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isFields(value) ? value : {};
}

export function listAt(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key];
  return Array.isArray(value) ? value : [];
}

function numberAt(fields: Fields, key: string, absent: number): number {
  const value = fields[key];
  return typeof value === 'number' ? value : absent;
}

function without(fields: Fields, key: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));
}

/** The list without all of its entries, without one half, or without one entry. */
function shorterLists(list: readonly unknown[]): (readonly unknown[])[] {
  const half = Math.ceil(list.length / 2);
  const halves = list.length < 3 ? [] : [list.slice(0, half), list.slice(half)];
  const ones = list.length < 2 ? [] : list.map((_, at) => list.toSpliced(at, 1));
  return list.length === 0 ? [] : [[], ...halves, ...ones];
}

const dropEntries: Way = (scenario) =>
  LISTS.flatMap((key) =>
    shorterLists(listAt(scenario, key)).map((list) =>
      list.length === 0 ? without(scenario, key) : { ...scenario, [key]: list },
    ),
  );

const dropSettings: Way = (scenario) =>
  SECTIONS.filter((key) => key in scenario).flatMap((key) => {
    const section = fieldsAt(scenario, key);
    const parts = Object.keys(section).map((name) => without(section, name));
    return [without(scenario, key), ...parts.map((part) => ({ ...scenario, [key]: part }))];
  });

/** Ends the run soon after the failure: what comes later cannot have led to it. */
const endEarlier: Way = (scenario, block) => {
  const run = fieldsAt(scenario, 'run');
  const [blocks, calm] = [numberAt(run, 'blocks', 1_000), numberAt(run, 'calm', 200)];
  const busy = blocks - calm;
  const lengths = [
    ...(block === null ? [] : [{ blocks: block + 2, calm: 0 }]),
    { blocks: calm + Math.floor(busy / 2), calm },
    { blocks: calm + Math.floor(busy * 0.8), calm },
    { blocks: busy + Math.floor(calm / 2), calm: Math.floor(calm / 2) },
  ];
  return lengths
    .filter((one) => one.blocks < blocks && one.blocks > 0)
    .map((one) => ({ ...scenario, run: { ...run, ...one } }));
};

const shrinkTopology: Way = (scenario) => {
  const network = fieldsAt(scenario, 'network');
  const topology = fieldsAt(network, 'topology');
  return ['nodes', 'rows', 'columns'].flatMap((key) => {
    const count = numberAt(topology, key, 0);
    const fewer = [FEWEST_NODES + 1, 3, Math.ceil(count / 2), count - 1];
    return [...new Set(fewer)]
      .filter((one) => one < count && one >= FEWEST_NODES)
      .map((one) => ({
        ...scenario,
        network: { ...network, topology: { ...topology, [key]: one } },
      }));
  });
};

/** Fewer payments: the traffic begins later, ends earlier, or pays more rarely. */
const thinTraffic: Way = (scenario, block) => {
  const run = fieldsAt(scenario, 'run');
  const end = numberAt(run, 'blocks', 1_000) - numberAt(run, 'calm', 200);
  const flows = listAt(scenario, 'traffic');
  return flows.flatMap((flow, at) => {
    if (!isFields(flow)) return [];
    const from = numberAt(flow, 'from_block', 0);
    const until = numberAt(flow, 'until_block', Math.min(end, (block ?? end) + 1));
    const middle = Math.floor((from + until) / 2);
    const rate = fieldsAt(flow, 'rate');
    const rates = ['per_block', 'per_second'].flatMap((key) => {
      const often = numberAt(rate, key, 0);
      return often < LEAST_RATE ? [] : [{ ...flow, rate: { ...rate, [key]: often / 2 } }];
    });
    const spans =
      middle <= from || middle >= until
        ? []
        : [
            { ...flow, from_block: middle },
            { ...flow, until_block: middle },
          ];
    return [...spans, ...rates].map((thin) => ({
      ...scenario,
      traffic: flows.with(at, thin),
    }));
  });
};

/** Ways that make runs shorter come first, as all later attempts then take less time. */
export const WAYS: readonly Way[] = [
  endEarlier,
  shrinkTopology,
  dropEntries,
  thinTraffic,
  dropSettings,
];
