/** `sluice simulate` as its users call it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { readScenario, scenarioNames } from '../../src/simulation/scenario/catalogue.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { callProgram, endPrograms, runProgram, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const SHORT = `version: 1
title: Two friends
description: A few payments between two nodes.
seed: 5
network: { topology: { kind: line, nodes: 2 } }
traffic:
  - { rate: { kind: poisson, per_block: 1 }, amount: { kind: constant, amount: 1 token } }
run: { blocks: 12, calm: 4 }
`;
const HOPE = 'expectations: [{ measure: succeeded_payments, at_least: 1000 }]\n';

const folder = mkdtempSync(join(tmpdir(), 'sluice-simulate-'));
const at = (name: string) => join(folder, name);
function file(name: string, text: string): string {
  writeFileSync(at(name), text);
  return at(name);
}
const short = file('short.yaml', SHORT);
const failing = file('failing.yaml', SHORT + HOPE);

async function run(...args: string[]) {
  return linesOf(await callProgram(['simulate', ...args]));
}

/** In a process of its own: only the built program has threads. */
async function runInThreads(...args: string[]) {
  return linesOf(await runProgram(['simulate', ...args]));
}

function linesOf({ code, stdout, stderr }: Awaited<ReturnType<typeof runProgram>>) {
  return { code, lines: stdout.trimEnd().split('\n'), said: stderr };
}

async function traceOf(text: string, seed: number): Promise<string> {
  const parsed = parseScenario(text, 'short');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const { trace } = await simulate({ scenario: parsed.scenario, seed });
  return trace;
}

afterEach(endPrograms);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a run', () => {
  it('ends with its trace, which is the same in any thread, and with its verdict', async () => {
    const { code, lines } = await runInThreads(short);
    expect(code).toBe(0);
    expect(lines.at(-2)).toBe(`trace ${await traceOf(SHORT, 5)}`);
    expect(lines.at(-1)).toMatch(/^passed: 12 blocks/);
  });

  it('ends with 1 and says which expectation is not met', async () => {
    const { code, lines } = await run(failing, '--out', at('out'));
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/^failed: succeeded_payments ≥ 1000, was \d+$/);
    const names = ['last-events.txt', 'payments.jsonl', 'report.html', 'result.json'];
    expect(readdirSync(at('out')).sort()).toEqual(names);
    const result = JSON.parse(readFileSync(join(at('out'), 'result.json'), 'utf8'));
    expect(result).toMatchObject({ verdict: 'failed', seed: 5 });
  });

  it('prints its result alone with --json', async () => {
    const { code, lines } = await run(short, '--json', '--seed', '6');
    expect(code).toBe(0);
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ seed: 6, verdict: 'passed' });
  });

  it('writes what there is when it is interrupted', async () => {
    const program = startProgram(['simulate', 'grid-of-hundred', '--out', at('part')]);
    await until(() => /^running grid/m.test(program.stderr()), 'the run');
    program.signal('SIGINT');
    expect(await program.ended).toBe(130);
    expect(program.stdout().trimEnd().split('\n').at(-1)).toMatch(/^stopped after .* a part/);
    const result = JSON.parse(readFileSync(join(at('part'), 'result.json'), 'utf8'));
    expect(result).toMatchObject({ verdict: 'stopped' });
  });

  it('is shown event by event by the replay command, from one step to another', async () => {
    const { code, lines } = await run('replay', short, '--from-step', '100', '--until-step', '300');
    expect(code).toBe(0);
    const steps = lines.slice(1, -2).map((line) => Number(line.split(' ')[0]));
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.every((step) => step >= 100 && step <= 300)).toBe(true);
  });
});

describe('a run in two parts', () => {
  const PARTS = `version: 1
title: Two threads
description: Payments between nodes of both threads.
network:
  topology: { kind: scale_free, nodes: 12, links: 2 }
  capacity: { kind: constant, amount: 1000 tokens }
services: { path_finding: { kind: shared } }
defaults: { reveal_timeout: 20, settle_timeout: 60 }
traffic:
  - { rate: { kind: constant, per_block: 8 }, amount: { kind: constant, amount: 1 token } }
run: { blocks: 12, calm: 4, parts: 2 }
expectations: [{ measure: success_rate, equals: 1 }]
`;
  const parts = file('parts.yaml', PARTS);

  it('arrives at the same end each time, with what the nodes of both have done', async () => {
    const [first, again] = [
      await runInThreads(parts, '--json', '--out', at('parts-out')),
      await runInThreads(parts, '--json'),
    ];
    const [result, other] = [first, again].map(({ lines }) => JSON.parse(lines.join('\n')));
    expect([first.code, result.verdict, result.trace]).toEqual([0, 'passed', other.trace]);
    expect(result.payments).toMatchObject({ succeeded: 64, started: 64 });
    const sums = ['sent', 'received', 'kills'].map((count) =>
      result.nodes.reduce(
        (sum: number, node: Record<string, number>) => sum + (node[count] ?? 0),
        0,
      ),
    );
    expect(sums).toEqual([64, 64, 0]);
    const records = readFileSync(join(at('parts-out'), 'payments.jsonl'), 'utf8').trimEnd();
    expect(records.split('\n')).toHaveLength(64);
    // What one side of a channel has given the other has got, whichever thread counted it.
    for (const { depositA, depositB, endA, endB } of result.channels)
      expect(BigInt(endA) + BigInt(endB)).toBe(BigInt(depositA) + BigInt(depositB));
  });
});

describe('many seeds', () => {
  it('run on several threads, and each has the trace that it has alone', async () => {
    const { code, lines } = await runInThreads(
      short,
      '--seeds',
      '1..3',
      '--workers',
      '2',
      '--json',
    );
    expect(code).toBe(0);
    const runs = JSON.parse(lines.join('\n'));
    expect(runs.map(({ seed }: { seed: number }) => seed)).toEqual([1, 2, 3]);
    expect(runs[1].trace).toBe(await traceOf(SHORT, 2));
  });

  it('name the first that failed, and how to run it again', async () => {
    const { code, lines } = await run(
      failing,
      '--seeds',
      '2..4',
      '--workers',
      '1',
      '--stop-at-first',
    );
    expect(code).toBe(1);
    expect(lines.at(-2)).toContain(`of seed 2: sluice simulate ${failing} --seed 2`);
    expect(lines.at(-1)).toBe('failed: 1 of 1 run');
  });
});

describe('what cannot be run', () => {
  it.each([
    [['nothing'], /there is no scenario and no readable file "nothing"/],
    [['mix', '--seed', '1', '--seeds', '1..2'], /give --seed or --seeds, not both/],
    [['mix', '--minutes', '1'], /--minutes needs --seeds/],
    [['mix', '--seeds', '5'], /--seeds must be two numbers such as 1\.\.100, or 5\.\.5 for one/],
    [['show', 'nothing'], /there is no scenario "nothing"/],
    [['sweep', 'mix', 'run.blocks=1'], /mix has no parameters/],
    [[], /missing required argument 'scenario'/],
    [['replay', 'mix', '--hope'], /unknown option '--hope'/],
    [['attack', 'kindness'], /Allowed choices are dust/],
  ])('%j ends with a usage error that says so', async (args, message) => {
    const { code, said } = await run(...args);
    expect(said).toMatch(message);
    expect(code).toBe(2);
  });

  it('is not shown on a page that its nodes would stop, and is told so before', async () => {
    const large = file('large.yaml', SHORT.replace('line, nodes: 2', 'line, nodes: 101'));
    const { code, said } = await run(large, '--inspect');
    expect(code).toBe(2);
    expect(said).toContain('has 101 nodes, and the page shows 100 at most');
  });

  it('is refused with each problem of its file, with path and line', async () => {
    const text = SHORT.replace('seed: 5', 'seed: -5').replace('blocks: 12', 'blokcs: 12');
    const bad = file('bad.yaml', text);
    const { code, said } = await run(bad);
    expect(code).toBe(2);
    expect(said).toContain(`${bad}:4: seed: `);
    expect(said).toContain(`${bad}:8: run.blokcs: is not known here`);
  });
});

describe('the library', () => {
  const built = new URL('../../dist/src/simulation/', import.meta.url).href;
  const script = (code: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);

  it('runs in a thread of its own, so that the clock of the caller stays real', async () => {
    const { stdout } = await script(`
      import { readFileSync } from 'node:fs';
      import { simulate } from '${built}library.js';
      const years = [];
      const look = setInterval(() => years.push(new Date().getFullYear()), 5);
      const { trace } = await simulate({ scenario: readFileSync('${short}', 'utf8'), seed: 5 });
      clearInterval(look);
      console.log(trace, years.length > 0, years.every((year) => year === ${new Date().getFullYear()}));
    `);
    expect(stdout.trim()).toBe(`${await traceOf(SHORT, 5)} true true`);
  });

  it('says which run has ended a thread, and goes on in another', async () => {
    const { stdout } = await script(`
      import { createRunner } from '${built}workers/runner.js';
      import { createStopper } from '${built}workers/stopper.js';
      const runner = createRunner({ stopper: createStopper() });
      const order = { seed: 1, commit: null, isWhole: false, events: null };
      // Nothing that a thread is ready for.
      const ended = await runner.run({ ...order, seed: 7, source: null });
      const mixed = await runner.run({ ...order, source: { kind: 'mix' } });
      await runner.end();
      console.log(ended.summary.seed, ended.summary.hasCrashed, mixed.summary.verdict);
    `);
    expect(stdout.trim()).toBe('7 true passed');
  });
});

describe('the catalogue', () => {
  it('is listed with its titles, and each scenario can be shown', async () => {
    const { lines } = await run('list');
    const listed = lines.filter((line) => !line.startsWith(' ')).map((line) => line.split(':')[0]);
    expect(listed).toEqual([...scenarioNames(), 'mix']);
    const shown = await run('show', 'line-of-three');
    const [schema, ...rest] = (readScenario('line-of-three') ?? '').trimEnd().split('\n');
    expect(schema).toContain('$schema=../');
    expect(shown.lines.join('\n')).toBe(rest.join('\n'));
  });
});

describe('two or more runs', () => {
  it('are a table with a row for each value', async () => {
    const { code, lines } = await run('sweep', short, 'run.blocks=8,10', '--seed', '1');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^run\.blocks +arrived/);
    expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual(['8', '10']);
    expect(lines.join()).not.toContain('±');
  });

  it('have means with their intervals', async () => {
    const { lines } = await run('sweep', short, 'run.blocks=8', '--seeds', '1..2');
    expect(lines[1]).toMatch(/^8 +\S+ ±\S+/);
  });

  it('are compared with the same seeds', async () => {
    const { code, lines } = await run(
      'compare',
      short,
      failing,
      '--seeds',
      '1..2',
      '--workers',
      '1',
    );
    expect(lines[0]).toMatch(/^means of 2 pairs/);
    expect(lines.at(-2)).toMatch(/ of short with seed 1: passed$/);
    expect(code).toBe(1);
  });

  it('are not needed to see what an attack on a scenario costs honest nodes', async () => {
    const { code, lines } = await run(
      'attack',
      'stale_close',
      '--against',
      short,
      '--from-block',
      '2',
    );
    expect(code).toBe(0);
    expect(lines.some((line) => /^ {2}honest nodes lost +0 TOK$/.test(line))).toBe(true);
  });

  it('lead to a smaller file that fails in the same way', async () => {
    const { code, lines } = await run('shrink', failing, '--runs', '6');
    expect(code).toBe(0);
    const smaller = file('smaller.yaml', lines.join('\n'));
    const again = await run(smaller);
    expect(again.code).toBe(1);
    expect(again.lines.at(-1)).toMatch(/^failed: succeeded_payments ≥ 1000/);
  });
});
