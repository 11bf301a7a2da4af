/** Channel graphs from elsewhere, and `sluice simulate import`, which makes scenarios of them. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { readDescribegraph } from '../../src/simulation/graphs/describegraph.ts';
import { withoutParallels } from '../../src/simulation/graphs/parallel.ts';
import { readPlainCsv } from '../../src/simulation/graphs/plain.ts';
import { sampleOf } from '../../src/simulation/graphs/sample.ts';
import type {
  NamedChannel,
  SideTerms,
} from '../../src/simulation/scenario/importing/channel-list.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { buildNetwork } from '../../src/simulation/scenario/topology.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { callProgram } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
/** A folder of its own with these files, packed where a name says so. */
function filesIn(files: Record<string, string>): (name: string) => string {
  made += 1;
  const own = join(folder, String(made));
  mkdirSync(own);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(own, name), name.endsWith('.gz') ? gzipSync(text) : text);
  return (name) => join(own, name);
}

/** The network that a run of the scenario would have. */
function networkOf(path: string, more = '') {
  const text = readFileSync(path, 'utf8') + more;
  const beside = (name: string) => readFileSync(join(dirname(path), name), 'utf8');
  const parsed = parseScenario(text, 'imported', beside);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return buildNetwork(parsed.scenario, createRandomness(1));
}

type Policy = { base?: string; ppm?: string; delta?: number; disabled?: boolean };
const policyOf = ({ base = '1000', ppm = '1', delta = 40, disabled = false }: Policy) => {
  return { fee_base_msat: base, fee_rate_milli_msat: ppm, time_lock_delta: delta, disabled };
};
/** A channel as lnd describes it, with a capacity in satoshi. */
function edge(a: string, b: string, capacity: unknown, one: Policy = {}, other: Policy = {}) {
  const policies = { node1_policy: policyOf(one), node2_policy: policyOf(other) };
  return { channel_id: '8', node1_pub: a, node2_pub: b, capacity, ...policies };
}
function graphText(names: readonly string[], edges: readonly unknown[]): string {
  const nodes = names.map((pub_key) => ({ pub_key, alias: 'a "quoted" }] ☃', addresses: [{}] }));
  return JSON.stringify({ nodes, edges }, null, 2);
}
/** All nodes in a ring: each has a channel with the next. */
function ring(count: number): string {
  const names = Array.from({ length: count }, (_, n) => `02${String(n).padStart(64, '0')}`);
  return graphText(
    names,
    names.map((name, n) => edge(name, names[(n + 1) % count] ?? '', '100000')),
  );
}

/** The pieces of a text, so many bytes each. */
async function* piecesOf(text: string, bytes: number) {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

const run = (...args: string[]) => callProgram(['simulate', 'import', ...args]);

describe('a graph of lnd', () => {
  it('becomes a scenario with its channels in millisatoshi, and what each side asks for', async () => {
    const graph = graphText(
      ['ann', 'bob', 'cay', 'nobody'],
      [
        edge('ann', 'bob', '2000', { base: '7', ppm: '500', delta: 40 }),
        edge('bob', 'cay', '1000', { base: '0', ppm: '99999999', delta: 144 }, { ppm: '20' }),
        edge('cay', 'ann', '10', { disabled: true }, { disabled: true }),
      ],
    );
    const at = filesIn({ 'graph.json': graph });
    const { code, stdout } = await run(at('graph.json'), '--out', at('net.yaml'));
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      'read: 4 nodes, 2 channels',
      'left out besides: channels that both sides have turned off: 1',
      'fees above 100 % count as 100 %: 1',
      'left out: 1 node without a channel',
      'taken: 3 nodes, 2 channels',
    ]);
    expect(code).toBe(0);
    expect(readFileSync(at('net.csv'), 'utf8').split('\n').slice(1, 3)).toEqual([
      'ann,bob,2000000,7,500,40,1000,1,40',
      'bob,cay,1000000,0,1000000,144,1000,20,40',
    ]);
    const { nodes, channels } = networkOf(at('net.yaml'));
    expect(nodes.map(({ name }) => name)).toEqual(['ann', 'bob', 'cay']);
    expect(channels.map(({ depositA, depositB }) => depositA + depositB)).toEqual([
      2_000_000n,
      1_000_000n,
    ]);
    expect(nodes[0]).toMatchObject({
      fees: { flat: 7n, proportional: 500n, imbalance: 0n },
      revealTimeout: 40n,
    });
  });

  it('has the nodes of its channels when it does not list them', async () => {
    const edges = [edge('ann', 'bob', '2000'), edge('bob', 'cay', '1000')];
    const at = filesIn({ 'graph.json.gz': JSON.stringify({ edges }) });
    const { code, stdout } = await run(at('graph.json.gz'), '--out', at('net.yaml'));
    expect(stdout).toContain('read: 3 nodes, 2 channels\n');
    expect(code).toBe(0);
  });

  it('is read whole, however its bytes arrive', async () => {
    const text = ring(30);
    const whole = await readDescribegraph(piecesOf(text, text.length));
    expect(whole).toMatchObject({ ok: true, graph: { nodes: 30 } });
    for (const bytes of [1, 7, 4_096])
      expect(await readDescribegraph(piecesOf(text, bytes))).toEqual(whole);
  });

  it('is not read on when it has parts without end', async () => {
    let read = 0;
    async function* parts() {
      yield Buffer.from('{');
      for (; read < 30; read++) yield Buffer.from('"a":[],'.repeat(100_000));
    }
    const found = await readDescribegraph(parts());
    expect(found).toMatchObject({ problems: [expect.stringMatching(/^has more than 2000000/)] });
    expect(read).toBeLessThan(30);
  });

  it.each(['\n', '# nothing\n'])(
    'is not read on when it has lines without end: %j',
    async (line) => {
      let read = 0;
      async function* lines() {
        for (; read < 30; read++) yield Buffer.from(line.repeat(100_000));
      }
      const found = await readPlainCsv(lines());
      expect(found).toMatchObject({ problems: [expect.stringMatching(/^has more than 2000000/)] });
      expect(read).toBeLessThan(30);
    },
  );

  const known = ['ann', 'bob'];
  it.each<[string, string, RegExp]>([
    ['no JSON', 'a,b,1,1', /is not a JSON object; give what "lncli describegraph" printed/],
    ['JSON of something else', '{"nodes": {}, "x": [1]}', /has no list "edges", only nodes, x/],
    [
      'edges with other fields',
      '{"edges":[{"source":"ann","target":"bob"}]}',
      /1 of edges: node1_pub is missing, .* writes it: it has source, target, and must have node1_pub, node2_pub, capacity/,
    ],
    ['a file that was cut', ring(5).slice(0, -200), /ends in the middle/],
    ['a node that is none', graphText(known, [edge('ann', 'eve', '1')]), /there is no node eve/],
    ['a capacity below 0', graphText(known, [edge('ann', 'bob', '-5')]), /1 of edges: capacity/],
    ['a number of letters', graphText(known, [edge('ann', 'bob', '1e99')]), /edges: capacity/],
    ['a channel with oneself', graphText(known, [edge('ann', 'ann', '1')]), /with itself/],
    ['a broken object', '{"edges":[{"node1_pub":tru}]}', /object 1 of edges is not JSON/],
    ['no channel', graphText(known, []), /has no channel/],
    [
      'an object without end',
      `{"nodes":[{"pub_key":"${'x'.repeat(1_100_000)}"}]}`,
      /1 of nodes: pub_key|single object of more than/,
    ],
  ])('is refused when it has %s', async (_, text, problem) => {
    const at = filesIn({ 'graph.json': text });
    const { code, stderr } = await run(at('graph.json'), '--out', at('net.yaml'));
    expect(stderr).toMatch(problem);
    expect(code).toBe(2);
    expect(existsSync(at('net.yaml')) || existsSync(at('net.csv'))).toBe(false);
  });
});

describe('tables of CLoTH', () => {
  const NODES = 'id\n0\n1\n2\n';
  const CHANNELS =
    'id,edge1_id,edge2_id,node1_id,node2_id,capacity(millisat)\n0,0,1,0,1,50\n1,2,3,2,1,70\n';
  const EDGES = [
    'id,channel_id,counter_edge_id,from_node_id,to_node_id,balance(millisat),fee_base(millisat),fee_proportional,min_htlc(millisat),timelock',
    '0,0,1,0,1,20,1000,1,1000,144',
    '1,0,0,1,0,30,5,2,1000,20',
    '2,1,3,2,1,70,0,0,0,10',
    '3,1,2,1,2,0,0,0,0,0\n',
  ].join('\n');

  it('become a scenario in which each side has what its edge says', async () => {
    const at = filesIn({ 'nodes_ln.csv': NODES, 'channels_ln.csv': CHANNELS, 'edges.csv': EDGES });
    const { code } = await run(at('.'), '--out', at('net.yaml'));
    expect(code).toBe(0);
    const { nodes, channels } = networkOf(at('net.yaml'));
    expect(channels).toMatchObject([
      { a: 0, b: 1, depositA: 20n, depositB: 30n },
      { a: 2, b: 1, depositA: 70n, depositB: 0n },
    ]);
    expect(nodes[0]).toMatchObject({
      fees: { flat: 1000n, proportional: 1n },
      revealTimeout: 144n,
    });
  });

  it('have the nodes of the channels when there is no table of nodes', async () => {
    const at = filesIn({ 'channels.csv.gz': CHANNELS, 'edges.csv.gz': EDGES });
    const { code, stdout } = await run(at('.'), '--out', at('net.yaml'));
    expect(stdout).toContain('read: 3 nodes, 2 channels\n');
    expect(code).toBe(0);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a table is missing', { 'edges.csv': 'x' }, /has no channels_ln\.csv and no channels\.csv/],
    [
      'a column is missing',
      { 'nodes.csv': 'name,color\n1,red' },
      /nodes: the first line does not name id, but name, color/,
    ],
    ['a channel has an unknown node', { 'nodes.csv': 'id\n0\n1\n' }, /channels, line 3: .*node 2/],
    [
      'a channel has one edge',
      { 'edges.csv': EDGES.slice(0, -22) },
      /some channels do not have .* nodes: 1/,
    ],
    [
      'a balance is below 0',
      { 'edges.csv': EDGES.replace(',70,0', ',-70,0') },
      /edges, line 4: balance, fees/,
    ],
    [
      'an edge belongs to no channel',
      { 'edges.csv': EDGES.replace('2,1,3', '2,9,3') },
      /line 4: there is no channel 9/,
    ],
    [
      'an edge begins elsewhere',
      { 'edges.csv': EDGES.replace('2,1,3,2', '2,1,3,0') },
      /line 4: node 0 has no part/,
    ],
  ])('are refused when %s', async (title, changed, problem) => {
    const whole = { 'nodes.csv': NODES, 'channels.csv': CHANNELS, 'edges.csv': EDGES };
    const at = filesIn(title === 'a table is missing' ? changed : { ...whole, ...changed });
    const { code, stderr } = await run(at('.'), '--out', at('net.yaml'));
    expect(stderr).toMatch(problem);
    expect(code).toBe(2);
  });
});

describe('an import', () => {
  const CSV = 'a,b,capacity\nx,y,5\ny,x,7\ny,z,9 tokens\n';

  it('reads packed files as others, and says of one that is not packed that it is none', async () => {
    const at = filesIn({ 'g.csv.gz': CSV, 'g.csv': CSV });
    const { stdout } = await run(at('g.csv.gz'), '--out', at('packed.yaml'));
    expect(stdout).toContain('read: 3 nodes, 3 channels\n');
    renameSync(at('g.csv'), at('plain.csv.gz'));
    const { code, stderr } = await run(at('plain.csv.gz'), '--out', at('net.yaml'));
    expect(stderr).toMatch(/plain\.csv\.gz: cannot be read: incorrect header check/);
    expect(code).toBe(2);
  });

  it('adds parallel channels up, or takes the largest', async () => {
    const at = filesIn({ 'g.csv': CSV });
    const summed = await run(at('g.csv'), '--out', at('sum.yaml'));
    expect(summed.stdout).toContain('summed: 1 parallel channel\n');
    await run(at('g.csv'), '--out', at('one.yaml'), '--parallel', 'largest');
    const capacities = (name: string) =>
      networkOf(at(name)).channels.map(({ depositA, depositB }) => depositA + depositB);
    expect(capacities('sum.yaml')).toEqual([12n, 9n * 10n ** 18n]);
    expect(capacities('one.yaml')).toEqual([7n, 9n * 10n ** 18n]);
  });

  it('chooses as many nodes as are wanted, the same for the same seed', async () => {
    const at = filesIn({ 'g.json': ring(60) });
    const sampled = async (name: string, seed: string) => {
      const { stdout } = await run(
        ...[at('g.json'), '--out', at(`${name}.yaml`), '--nodes', '20', '--seed', seed],
      );
      expect(stdout).toContain(`taken: 20 nodes, 19 channels, a forest fire from seed ${seed}`);
      return readFileSync(at(`${name}.csv`), 'utf8');
    };
    const first = await sampled('one', '7');
    expect(await sampled('two', '7')).toBe(first);
    expect(await sampled('three', '8')).not.toBe(first);
  });

  it('gives a scenario that runs, and locks that nobody pays by the time to run out before it ends', async () => {
    const at = filesIn({ 'g.json': ring(6) });
    await run(at('g.json'), '--out', at('net.yaml'));
    appendFileSync(at('net.yaml'), 'nodes: [{ nodes: 3, behaviour: silent }]\n');
    const { code, stdout } = await callProgram(['simulate', at('net.yaml'), '--json']);
    const { payments, violation } = JSON.parse(stdout.trim());
    expect([code, violation]).toEqual([0, null]);
    expect(payments.failed.lock_expired).toBeGreaterThan(0);
    expect(payments.succeeded).toBeGreaterThan(payments.started / 2);
  });

  it.each<[string, string[], RegExp]>([
    ['more nodes than there are', ['--nodes', '61'], /largest part has 60, ask for no more/],
    ['a file that is not there', [], /no\.json: cannot be read/],
    ['a file of another kind', [], /must be a \.json file that "lncli/],
    ['a scenario of another kind', ['--out', 'net.txt'], /--out must end in \.yaml/],
    ['a scenario that is there already', [], /old\.csv is there already: remove it, or/],
  ])('refuses %s', async (title, args, problem) => {
    const at = filesIn({ 'g.json': ring(60), 'g.xml': '<graph/>', 'old.csv': 'mine' });
    const graph = title.startsWith('a file that')
      ? 'no.json'
      : title.startsWith('a file')
        ? 'g.xml'
        : 'g.json';
    const out = title.endsWith('already') ? 'old.yaml' : 'net.yaml';
    const { code, stderr } = await run(at(graph), '--out', at(out), ...args);
    expect(stderr).toMatch(problem);
    expect(code).toBe(2);
    expect(readFileSync(at('old.csv'), 'utf8')).toBe('mine');
  });

  it('refuses a graph that is too large for a simulation, and says what to do', async () => {
    const at = filesIn({ 'g.json': ring(10_001) });
    const { stderr } = await run(at('g.json'), '--out', at('net.yaml'));
    expect(stderr).toMatch(/has 10001 nodes .* at most 10000 and 100000: choose some by --nodes/);
    const { code } = await run(at('g.json'), '--out', at('net.yaml'), '--nodes', '10000');
    expect(code).toBe(0);
  });
});

const NONE: SideTerms = { flat: null, proportional: null, revealTimeout: null };
function channel(a: string, b: string, capacity: NamedChannel['capacity'], flat?: bigint) {
  return { a, b, capacity, termsA: { ...NONE, flat: flat ?? null }, termsB: NONE };
}

describe('parallel channels', () => {
  it('are added side by side, whoever stands first, with the terms of the largest', () => {
    const list = [
      channel('x', 'y', { a: 1n, b: 2n }, 3n),
      channel('y', 'x', { a: 10n, b: 20n }, 4n),
    ];
    expect(withoutParallels(list, 'sum')).toEqual([
      { ...channel('x', 'y', { a: 21n, b: 12n }), termsB: { ...NONE, flat: 4n } },
    ]);
    expect(withoutParallels(list, 'largest')).toEqual([
      { ...channel('x', 'y', { a: 20n, b: 10n }), termsB: { ...NONE, flat: 4n } },
    ]);
  });
});

describe('a sample', () => {
  const star = Array.from({ length: 50 }, (_, n) => channel('hub', `leaf${n}`, { total: 1n }));
  const pair = channel('far', 'away', { total: 1n });
  const draw = (seed: number) => createRandomness(seed).of('import');

  it('hangs together, and comes from the largest part', () => {
    for (const seed of [1, 2, 3]) {
      const sample = sampleOf([pair, ...star], 10, draw(seed));
      const channels = sample.ok ? sample.channels : [];
      expect(channels).toHaveLength(9);
      expect(channels.every(({ a }) => a === 'hub')).toBe(true);
    }
  });

  it('may be all of that part, and no more', () => {
    expect(sampleOf([pair, ...star], 51, draw(1))).toMatchObject({ ok: true });
    expect(sampleOf([pair, ...star], 52, draw(1))).toEqual({ ok: false, connected: 51 });
  });
});

describe('terms of an imported node', () => {
  const scenario = (rows: string, more = '') => `version: 1
title: T
description: D
network:
  topology: { kind: import, channels: { csv: "a,b,capacity,flat_a,proportional_ppm_a,reveal_timeout_a\\n${rows}" } }
${more}`;
  function first(rows: string, more?: string) {
    const parsed = parseScenario(scenario(rows, more), 'terms');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return buildNetwork(parsed.scenario, createRandomness(1)).nodes[0];
  }
  const ROWS = 'x,y,10,1,100,30\\nx,z,15,2,200,60\\nx,w,12,3,300,90';

  it('are the median of those of its channels, by capacity', () => {
    expect(first(ROWS)).toMatchObject({
      fees: { flat: 2n, proportional: 200n, imbalance: 0n },
      revealTimeout: 60n,
    });
  });

  it('give way to those that the scenario gives it', () => {
    const more = 'nodes: [{ nodes: "0", fees: { flat: 9 }, reveal_timeout: 70 }]';
    expect(first(ROWS, more)).toMatchObject({
      fees: { flat: 9n, proportional: 200n },
      revealTimeout: 70n,
    });
  });

  it('leave the usual ones where there are none', () => {
    expect(first('x,y,10,,,')).toMatchObject({
      fees: { proportional: 4_000n, imbalance: 3_000n },
      revealTimeout: 50n,
    });
  });

  it('fit the timeouts of the chain and of the channels', () => {
    expect(first('x,y,10,,,1')).toMatchObject({ revealTimeout: 14n });
    expect(first('x,y,10,,,9000')).toMatchObject({ revealTimeout: 250n });
  });
});
