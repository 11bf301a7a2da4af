/** What is written about scenarios, lists of channels, sweeps and expectations. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ImportSource,
  readImport,
} from '../../src/simulation/scenario/importing/importing.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import {
  type Expectation,
  expectationText,
  isMet,
  type Measured,
} from '../../src/simulation/scenario/schema/expectations.ts';
import { type Swept, sweep } from '../../src/simulation/scenario/sweep.ts';
import { jsonSchemaText, withTables } from './documentation.ts';

const document = (name: string) =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const TOKEN = 10n ** 18n;

describe('the documents', () => {
  it('have the JSON Schema of the scenarios that are read ("npm run docs:scenarios" writes it)', () => {
    expect(document('scenario.schema.json')).toBe(jsonSchemaText());
  });

  it('have the tables of the fields that are read', () => {
    const page = document('simulation.md');
    expect(withTables(page)).toBe(page);
  });

  it('have an example that can be run', () => {
    const examples = [...document('simulation.md').matchAll(/```yaml\n(version: 1\n.*?)```/gs)];
    expect(examples).toHaveLength(1);
    expect(parseScenario(examples[0]?.[1] ?? '', 'example')).toMatchObject({ ok: true });
  });
});

const read = (source: Partial<ImportSource>, files: Record<string, string> = {}) =>
  readImport(
    { file: null, csv: null, json: null, ...source },
    { decimals: 18, readFile: (path) => files[path] ?? null },
  );

describe('a list of channels', () => {
  const CSV = 'a,b,capacity_a,capacity_b\n# known\nx,y,1 token,2\n\ny,z,0,0.5 tokens\r\n';
  const none = { flat: null, proportional: null, revealTimeout: null };
  const network = {
    names: ['x', 'y', 'z'],
    channels: [
      { a: 0, b: 1, capacity: { a: TOKEN, b: 2n }, termsA: none, termsB: none },
      { a: 1, b: 2, capacity: { a: 0n, b: TOKEN / 2n }, termsA: none, termsB: none },
    ],
  };

  it('may be CSV or JSON, in the scenario or beside it', () => {
    const json = JSON.stringify([
      { a: 'x', b: 'y', capacity_a: '1 token', capacity_b: 2 },
      { a: 'y', b: 'z', capacity_a: 0, capacity_b: '0.5 tokens' },
    ]);
    expect(read({ csv: CSV })).toEqual({ ok: true, network });
    expect(read({ json })).toEqual({ ok: true, network });
    expect(read({ file: 'n.csv' }, { 'n.csv': CSV })).toEqual({ ok: true, network });
    expect(read({ file: 'n.json' }, { 'n.json': json })).toEqual({ ok: true, network });
  });

  it('takes numbers from 0 on for the numbers of the nodes', () => {
    const numbered = read({ csv: '2,0,1,1\n1,2,1,1' });
    expect(numbered).toMatchObject({ network: { names: ['0', '1', '2'] } });
    expect(numbered).toMatchObject({
      network: {
        channels: [
          { a: 2, b: 0 },
          { a: 1, b: 2 },
        ],
      },
    });
    const others = read({ csv: '7,0,1,1' });
    expect(others).toMatchObject({ network: { names: ['7', '0'], channels: [{ a: 0, b: 1 }] } });
  });

  it('may have other columns, which its first line names, and what its sides ask for', () => {
    const csv =
      'flat_b,a,capacity,b,proportional_ppm_a,reveal_timeout_b\n5,x,7,y,300,\n,y,9,z,,40\n';
    expect(read({ csv })).toMatchObject({
      network: {
        channels: [
          {
            capacity: { total: 7n },
            termsA: { ...none, proportional: 300n },
            termsB: { ...none, flat: 5n },
          },
          { capacity: { total: 9n }, termsA: none, termsB: { ...none, revealTimeout: 40n } },
        ],
      },
    });
    const json = JSON.stringify([{ a: 'x', b: 'y', capacity: 7, flat_b: '5' }]);
    expect(read({ json })).toMatchObject({
      network: { channels: [{ capacity: { total: 7n }, termsB: { ...none, flat: 5n } }] },
    });
  });

  it.each<[string, Partial<ImportSource>, RegExp]>([
    [
      'a column that is none',
      { csv: 'a,b,capacity,fee\nx,y,1,1' },
      /^line 1: does not know the column fee; it knows a, b, capacity_a, capacity_b, capacity, flat_a/,
    ],
    [
      'names of columns that are all others',
      { csv: 'source,target,satoshis\nx,y,1' },
      /^line 1: does not know the columns source, target, satoshis; it knows a, b,/,
    ],
    ['a column twice', { csv: 'a,b,capacity,b\nx,y,1,y' }, /^line 1: names a column twice/],
    ['no column of the other side', { csv: 'a,capacity\nx,1' }, /^line 1: has no column b/],
    [
      'two kinds of capacity',
      { csv: 'a,b,capacity,capacity_a\nx,y,1,1' },
      /^line 2: must have either/,
    ],
    [
      'a fee above all of it',
      { csv: 'a,b,capacity,proportional_ppm_a\nx,y,1,1000001' },
      /^line 2: propo/,
    ],
    [
      'a timeout of no block',
      { csv: 'a,b,capacity,reveal_timeout_a\nx,y,1,0' },
      /^line 2: reveal_time/,
    ],
    ['more than there can be', { csv: `a,b,1${'0'.repeat(41)},1` }, /^line 1: capacities must be/],
    ['too few fields', { csv: 'a,b,1,1\nb,c,1' }, /^line 2: has 3 fields and must have 4/],
    ['a channel with oneself', { csv: 'a,a,1,1' }, /^line 1: a cannot have a channel with itself/],
    ['a channel that stands twice', { csv: 'a,b,1,1\nb,a,1,1' }, /^line 2: b and a have a channel/],
    ['an amount that is none', { csv: '# x\na,b,1,-1' }, /^line 2: capacities must be amounts/],
    ['a name that is none', { csv: 'a,<b>,1,1' }, /^line 1: names of nodes/],
    [
      'a field that is none',
      { json: '[{"a":"x","b":"y","capacity":1,"fee":1}]' },
      /^entry 1: does not know the field fee; it knows a, b, capacity_a/,
    ],
    [
      'a field that is no text',
      { json: '[{"a":"x","b":"y","capacity":{}}]' },
      /^entry 1: capacity must be a text or a whole number/,
    ],
    ['JSON that is none', { json: '[{' }, /is not a JSON list/],
    ['JSON with another field', { json: '[{"a":"x","b":"y","capacity_a":1,"fee":1}]' }, /^entry 1/],
    ['nothing', { csv: '# nothing\n' }, /has no channel/],
    ['two sources', { csv: 'a,b,1,1', json: '[]' }, /exactly one/],
    ['a file that is not there', { file: 'no.csv' }, /no\.csv cannot be read/],
    ['a file of another kind', { file: 'no.txt' }, /must end in \.csv or \.json/],
  ])('is refused with its place: %s', (_, source, problem) => {
    const result = read(source);
    expect(result.ok ? '' : result.problems[0]).toMatch(problem);
  });

  it('tells the first problems of many', () => {
    const result = read({ csv: 'x\n'.repeat(100_000) });
    expect(result.ok ? [] : result.problems).toHaveLength(20);
  });

  it('has bounds', () => {
    const channels = (count: number) =>
      Array.from({ length: count }, (_, n) => `n${n},n${n + 1},1,1`).join('\n');
    expect(read({ csv: channels(9_999) })).toMatchObject({ ok: true });
    expect(read({ csv: channels(10_000) })).toEqual({
      ok: false,
      problems: ['has more than 10000 nodes'],
    });
    expect(read({ csv: channels(100_001) })).toEqual({
      ok: false,
      problems: ['has more than 100000 channels'],
    });
  });

  it('is reported with its problems in the scenario that names it', () => {
    const text = `version: 1
title: T
description: D
network:
  topology:
    kind: import
    channels: { file: n.csv }
steps:
  - { do: close, at_block: 1, node: 2, partner: 3 }
`;
    const files = (lines: string) => (path: string) => (path === 'n.csv' ? lines : null);
    const path = 'network.topology.channels';
    expect(parseScenario(text, 'n', files('x,y,1'))).toMatchObject({
      problems: [{ path, line: 7 }],
    });
    expect(parseScenario(text, 'n', files('x,y,1,1\ny,z,1,1'))).toMatchObject({
      problems: [{ path: 'steps[0].partner', line: 9, text: 'must be a node from 0 to 2' }],
    });
  });
});

const SWEPT = `version: 1
title: T
description: D
network:
  topology: { kind: line, nodes: 3 }
traffic:
  - rate: { kind: poisson, per_block: 1 }
    amount: { kind: constant, amount: 1 token }
`;
const problemOf = (swept: Swept) => (swept.ok ? null : swept.problems[0]);

describe('a sweep', () => {
  it('makes a scenario of each value, in all combinations', () => {
    const assignments = [
      'defaults.fees.imbalance_ppm=0,1000,3000',
      'traffic[0].amount.amount = 1 token, 2 tokens',
    ];
    const swept = sweep(SWEPT, 'swept', assignments);
    const variants = swept.ok ? swept.variants : [];
    const values = variants.map(({ scenario: { defaults, traffic } }) => {
      const amount = traffic[0]?.amount;
      const tokens = amount?.kind === 'constant' ? amount.amount / TOKEN : null;
      return [defaults.fees.imbalancePpm, tokens];
    });
    expect(values).toEqual([
      [0n, 1n],
      [0n, 2n],
      [1000n, 1n],
      [1000n, 2n],
      [3000n, 1n],
      [3000n, 2n],
    ]);
    expect(variants[5]?.values).toEqual({
      'defaults.fees.imbalance_ppm': '3000',
      'traffic[0].amount.amount': '2 tokens',
    });
  });

  it('of nothing is the scenario itself', () => {
    expect(sweep(SWEPT, 'swept', [])).toEqual({
      ok: true,
      variants: [{ values: {}, scenario: expect.objectContaining({ name: 'swept' }) }],
    });
  });

  it('can set words, shares and whole objects', () => {
    const swept = sweep(SWEPT, 'swept', ['network.split=opener', 'services={ monitoring: {} }']);
    expect(swept).toMatchObject({
      variants: [{ scenario: { network: { split: { firstPpm: 1_000_000n } } } }],
    });
  });

  it.each<[string, string, string, RegExp]>([
    ['no value', 'seed', 'seed', /must be path=value/],
    ['an empty value', 'seed=1,,2', 'seed', /empty value/],
    ['a path that is none', 'a..b=1', 'a..b', /no path/],
    ['an unknown field', 'chain.fee=1', 'chain.fee', /not known here; .*block_time.*set to "1"/],
    ['a value out of bounds', 'seed=1,-1', 'seed', /whole number from 0 .*\(set to "-1"\)/],
    [
      'blocks faster than their timestamps',
      'chain.block_time=0.5',
      'chain.block_time',
      /from 1 to/,
    ],
    ['an entry that is not there', 'traffic[1].rate=1', 'traffic[1].rate', /leads through/],
    ['a field of a number', 'version.x=1', 'version.x', /leads through/],
    ['YAML that is none', 'title="x', 'title', /cannot be set to/],
    ['the language itself', '__proto__.x=1', '__proto__.x', /no path/],
  ])('is refused with its assignment: %s', (_, assignment, path, text) => {
    const problem = problemOf(sweep(SWEPT, 'swept', [assignment]));
    expect(problem).toMatchObject({ path, line: null });
    expect(problem?.text).toMatch(text);
  });

  it('is refused when it makes too many', () => {
    const many = (field: string) =>
      `${field}=${Array.from({ length: 40 }, (_, n) => n + 1).join()}`;
    const problem = problemOf(sweep(SWEPT, 'swept', [many('seed'), many('chain.start_block')]));
    expect(problem?.text).toMatch('more than 1000');
  });
});

describe('an expectation', () => {
  const token = { symbol: 'TOK', decimals: 18 };
  const measured: Measured = {
    success_rate: 0.9,
    succeeded_payments: 9,
    failed_payments: 1,
    stuck_payments: 0,
    stuck_locks: 0,
    latency_blocks_p50: null,
    latency_blocks_p99: null,
    lock_slack_blocks: null,
    messages_per_payment: 8,
    gas_per_payment: null,
    depleted_channels: 0,
    settled_channels: 0,
    kills: 2,
    honest_loss: TOKEN,
    attacker_gain: 0n,
    fee_income: null,
  };

  it.each<[Expectation, boolean, string]>([
    [{ measure: 'success_rate', operator: 'at_least', value: 0.9 }, true, 'success_rate ≥ 0.9'],
    [{ measure: 'success_rate', operator: 'at_least', value: 0.91 }, false, 'success_rate ≥ 0.91'],
    [{ measure: 'kills', operator: 'at_most', value: 1 }, false, 'kills ≤ 1'],
    [{ measure: 'kills', operator: 'equals', value: 2 }, true, 'kills = 2'],
    [{ measure: 'honest_loss', operator: 'equals', value: 0n }, false, 'honest_loss = 0 TOK'],
    [
      { measure: 'honest_loss', operator: 'at_most', value: TOKEN * 2n },
      true,
      'honest_loss ≤ 2 TOK',
    ],
    [
      { measure: 'fee_income', operator: 'at_least', value: TOKEN / 4n },
      false,
      'fee_income ≥ 0.25 TOK',
    ],
    [
      { measure: 'latency_blocks_p99', operator: 'at_most', value: 9 },
      false,
      'latency_blocks_p99 ≤ 9',
    ],
  ])(
    'is met or not as measured, and never when nothing was measured: $2',
    (expectation, met, text) => {
      expect(isMet(expectation, measured)).toBe(met);
      expect(expectationText(expectation, token)).toBe(text);
    },
  );
});
