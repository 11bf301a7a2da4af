/** Scenario files: what is read from them, and how mistakes in them are told. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readScenario, scenarioNames } from '../../src/simulation/scenario/catalogue.ts';
import { type Parsed, parseScenario } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';

const SMALL = `version: 1
title: Small
description: Three nodes.
network:
  topology: { kind: line, nodes: 3 }
`;

function scenarioOf(text: string): Scenario {
  const parsed = parseScenario(text, 'given');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

function problemsOf(parsed: Parsed) {
  return parsed.ok ? [] : parsed.problems;
}

/** The first problem of a small scenario with these lines below. */
function problemWith(lines: string) {
  return problemsOf(parseScenario(SMALL + lines, 'given'))[0];
}

describe('a scenario', () => {
  it('gets defaults where the file says nothing', () => {
    const scenario = scenarioOf(SMALL);
    expect(scenario).toMatchObject({
      name: 'given',
      seed: 1,
      chain: { blockTime: 12, confirmations: 5n, congestion: [], reorganisations: null },
      services: { pathFinding: { kind: 'local' }, monitoring: { count: 0, reward: 10n ** 18n } },
      run: { blocks: 1_000n, calm: 200n, crypto: { realShare: 0 }, disk: { realShare: 0 } },
      traffic: [],
      expectations: [],
    });
    expect(scenario.network.capacity).toEqual({ kind: 'constant', amount: 100n * 10n ** 18n });
  });

  it('reads amounts in tokens of its own decimals, and in the smallest unit', () => {
    const { network, steps } = scenarioOf(`${SMALL}  token: { symbol: USDX, decimals: 6 }
  capacity: { kind: uniform, least: 12.5 tokens, most: 1000000000000000000001 }
steps:
  - { do: deposit, at_block: 1, node: 0, partner: 1, amount: "7" }
`);
    const most = 1_000_000_000_000_000_000_001n;
    expect(network.capacity).toEqual({ kind: 'uniform', least: 12_500_000n, most });
    expect(steps[0]).toMatchObject({ do: 'deposit', amount: 7n, atBlock: 1n });
  });

  it('may be JSON', () => {
    const topology = { kind: 'grid', rows: 2, columns: 3 };
    const json = { version: 1, title: 'T', description: 'D', network: { topology } };
    expect(scenarioOf(JSON.stringify(json, null, 2)).network.topology).toEqual(topology);
  });

  it('reads all that can be written of schedules, shares and expectations', () => {
    const scenario = scenarioOf(`${SMALL}  split: 0.25
defaults: { fees: { flat: 2, imbalance_ppm: 0 }, gas_money: 20 gwei }
nodes:
  - { nodes: "0, 2", role: shop, behaviour: silent }
faults:
  - { kind: kill, nodes: shop, when: { rate: 0.01, blocks: 5, from_block: 10 } }
  - { kind: partition, groups: [0, 1..2], when: { at_block: 3, blocks: 4 } }
run: { crypto: 0.01, disk: file }
expectations:
  - { measure: honest_loss, at_most: 1 token }
  - { measure: success_rate, at_least: 0.5 }
`);
    expect(scenario.network.split).toEqual({ firstPpm: 250_000n });
    expect(scenario.defaults).toMatchObject({
      fees: { flat: 2n, proportionalPpm: null, imbalancePpm: 0n, cap: null },
      gasMoney: 20n * 10n ** 9n,
      revealTimeout: null,
    });
    const [kill, partition] = scenario.faults;
    const rated = { kind: 'rate', rate: 0.01, blocks: 5n, fromBlock: 10n, untilBlock: null };
    expect(kill).toEqual({ kind: 'kill', nodes: [{ kind: 'role', role: 'shop' }], when: rated });
    expect(partition?.when).toEqual({ kind: 'once', atBlock: 3n, blocks: 4n });
    expect(scenario.run).toMatchObject({ crypto: { realShare: 0.01 }, disk: { realShare: 1 } });
    expect(scenario.expectations).toEqual([
      { measure: 'honest_loss', operator: 'at_most', value: 10n ** 18n },
      { measure: 'success_rate', operator: 'at_least', value: 0.5 },
    ]);
  });
});

describe('a mistake in a scenario', () => {
  it.each<[string, string, string, number | null, RegExp]>([
    ['an unknown key', 'seeds: 1\n', 'seeds', 6, /not known here; allowed: version, .*seed/],
    ['an unknown key below', 'run: { block: 1 }\n', 'run.block', 6, /allowed: blocks, calm/],
    ['a key as it is inside', 'chain:\n  blockTime: 1\n', 'chain.blockTime', 7, /with _/],
    ['a key of the language', 'chain:\n  __proto__: 1\n', 'chain.__proto__', 7, /not known/],
    ['a number out of bounds', 'chain:\n  confirmations: 0\n', 'chain.confirmations', 7, /from 1/],
    ['a word for a number', 'seed: many\n', 'seed', 6, /whole number from 0/],
    [
      'an amount without its unit',
      'steps:\n  - { do: deposit, at_block: 1, node: 0, partner: 1, amount: 1.5 }\n',
      'steps[0].amount',
      7,
      /12\.5 tokens/,
    ],
    [
      'an unknown kind',
      'faults:\n  - kind: fire\n',
      'faults[0].kind',
      7,
      /one of .*"kill".* not "fire"/,
    ],
    ['a missing field', 'faults:\n  - kind: kill\n', 'faults[0].when', 7, /missing/],
    [
      'two schedules',
      'faults:\n  - kind: kill\n    when: { at_block: 1, rate: 0.1 }\n',
      'faults[0].when',
      8,
      /at_block, or after, or rate/,
    ],
    [
      'two bounds',
      'expectations:\n  - { measure: kills, at_least: 1, at_most: 2 }\n',
      'expectations[0]',
      7,
      /exactly one/,
    ],
    [
      'a share that nothing can reach',
      'expectations:\n  - { measure: success_rate, at_least: 1.5 }\n',
      'expectations[0].at_least',
      7,
      /from 0 to 1$/,
    ],
    [
      'a share in percent',
      'expectations:\n  - { measure: depleted_channels, at_most: 5 }\n',
      'expectations[0].at_most',
      7,
      /from 0 to 1$/,
    ],
    [
      'a node that is not there',
      'faults:\n  - kind: deaf\n    nodes: 1..3\n    when: { at_block: 1 }\n',
      'faults[0].nodes',
      8,
      /0 to 2/,
    ],
    [
      'a role that nobody has',
      'attacks:\n  - { plan: dust, nodes: thief }\n',
      'attacks[0].nodes',
      7,
      /"thief"/,
    ],
    [
      'a step after the end',
      'run: { blocks: 9, calm: 1 }\nsteps:\n  - { do: stop, at_block: 9, nodes: 1 }\n',
      'steps[0].at_block',
      8,
      /before the run ends/,
    ],
    [
      'a settlement that is awaited after the end',
      'run: { blocks: 9, calm: 1 }\nsteps:\n  - { do: await_settled, at_block: 3, node: 0, partner: 1, within: 6 }\n',
      'steps[0].within',
      8,
      /before the run ends/,
    ],
    [
      'an expectation that nothing can fail',
      'expectations:\n  - { measure: failed_payments, at_least: 0 }\n',
      'expectations[0]',
      7,
      /holds for every run/,
    ],
    [
      'a standby that takes over when it is too late',
      'chain: { block_time: 3 }\nnodes:\n  - { nodes: 1, reveal_timeout: 14, standby: { takeover_after: 60 } }\n',
      'nodes[0].standby.takeover_after',
      8,
      /at most 21 s/,
    ],
    [
      'locks that are held for longer than the run',
      'run: { blocks: 90, calm: 60 }\nattacks:\n  - { plan: dust, nodes: 1 }\n',
      'attacks[0].plan',
      8,
      /at least 120: /,
    ],
    [
      'a partner that is oneself',
      'steps:\n  - { do: close, at_block: 1, node: 1, partner: 1 }\n',
      'steps[0].partner',
      7,
      /another node/,
    ],
    [
      'a payment to oneself without its path',
      'steps:\n  - { do: pay, at_block: 1, node: 1, to: 1, amount: 1 token }\n',
      'steps[0].to',
      7,
      /another node/,
    ],
    [
      'timeouts in which no secret can be registered',
      'defaults:\n  reveal_timeout: 13\n',
      'defaults.reveal_timeout',
      7,
      /at least 14/,
    ],
    [
      'a settle timeout that is too short',
      'defaults: { settle_timeout: 60 }\n',
      'defaults.settle_timeout',
      6,
      /100/,
    ],
    [
      'a rate in two units',
      'traffic:\n  - rate: { kind: poisson, per_block: 1, per_second: 1 }\n    amount: { kind: constant, amount: 1 }\n',
      'traffic[0].rate',
      7,
      /exactly one of per_block/,
    ],
    ['a calm phase as long as all', 'run: { blocks: 5, calm: 5 }\n', 'run.calm', 6, /shorter/],
    ['YAML that is none', 'run: { blocks: 5\n', '', 7, /flow map/i],
    ['a key that stands twice', 'seed: 1\nseed: 2\n', '', 7, /unique/],
  ])('is reported with its place: %s', (_, lines, path, line, text) => {
    const problem = problemWith(lines);
    expect(problem).toMatchObject({ path, line });
    expect(problem?.text).toMatch(text);
  });

  it('is said once of the lines of an import that are wrong in the same way', () => {
    const csv = '1,2,30\\n2,3,30\\n3,3,1,1\\n';
    const text = `version: 1
title: Bad import
description: Lines with too few fields.
network: { topology: { kind: import, channels: { csv: "${csv}" } } }
`;
    const texts = problemsOf(parseScenario(text, 'given')).map((problem) => problem.text);
    expect(texts).toEqual([
      'line 1 and others: has 3 fields and must have 4: a,b,capacity_a,capacity_b',
      'line 3: 3 cannot have a channel with itself',
    ]);
  });

  it('is reported together with all others', () => {
    const problems = problemsOf(parseScenario('version: 2\nseed: -1\n', 'given'));
    const paths = problems.map(({ path }) => path);
    expect(paths).toEqual(['version', 'title', 'description', 'seed', 'network']);
  });

  it('is a file that grows without bound', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [one, next] of ['ab', 'bc', 'cd', 'de', 'ef'].map((pair) => [...pair]))
      bomb.push(`${next}: &${next} [${Array.from({ length: 9 }, () => `*${one}`).join(', ')}]`);
    const problems = problemsOf(parseScenario(bomb.join('\n'), 'given'));
    expect(problems).toEqual([{ path: '', text: 'repeats parts of itself too often', line: null }]);
  });

  it.each(['', '[]', '3', 'text', 'null', '- a\n- b'])(
    'is a file that holds no fields: %j',
    (text) => {
      expect(problemsOf(parseScenario(text, 'given'))[0]?.text).toMatch(
        /must hold fields: version/,
      );
    },
  );

  it('never ends the program, whatever stands in the file', () => {
    const texts = scenarioNames().map((name) => readScenario(name) ?? '');
    const junk = fc.oneof(
      fc.constantFrom(
        '[',
        '{',
        '- ',
        '\n',
        ': ',
        '0',
        '-',
        '"',
        '&a ',
        '*a',
        '!!map ',
        '<<: ',
        'null',
        '...',
        '1e99',
      ),
      fc.string({ maxLength: 5 }),
    );
    const mutation = fc.record({
      text: fc.constantFrom(...texts, ''),
      at: fc.nat(),
      removed: fc.nat({ max: 30 }),
      junk,
    });
    const property = fc.property(mutation, ({ text, at, removed, junk }) => {
      const start = at % (text.length + 1);
      const parsed = parseScenario(text.slice(0, start) + junk + text.slice(start + removed), 'x');
      if (!parsed.ok) expect(parsed.problems.length).toBeGreaterThan(0);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it.each(['[', '{a: ', '- '])('is a file that nests too deeply: %s', (opening) => {
    expect(problemsOf(parseScenario(opening.repeat(50_000), 'x'))).not.toEqual([]);
  });
});
