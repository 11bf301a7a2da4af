/** A scenario on real processes beside its simulation. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { liveScenario } from '../../src/simulation/live/live-scenario.ts';
import { readScenario } from '../../src/simulation/scenario/catalogue.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { endPrograms, startProgram } from '../support/program.ts';

const TERMS = { blockTime: 1, confirmations: 1n };
const DYING = `version: 1
title: Three in a line
description: Payments over one in the middle, who dies once.
seed: 3
network: { topology: { kind: line, nodes: 3 } }
steps:
  - { do: pay, at_block: 1, node: 0, to: 2, amount: 3 tokens, expect: success }
  - { do: deposit, at_block: 1, node: 0, partner: 1, amount: 10 tokens }
  - { do: pay, at_block: 10, node: 2, to: 0, amount: 1 token, expect: success }
faults:
  - { kind: kill, nodes: "1", when: { at_block: 3, blocks: 1 } }
run: { blocks: 14, calm: 9 }
`;

function parsed(text: string): Scenario {
  const found = parseScenario(text, 'scenario');
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.scenario;
}

describe('what of a scenario runs live', () => {
  it('is everything when the scenario asks only for what a real network offers', () => {
    const { scenario, left } = liveScenario(parsed(DYING), TERMS);
    expect(left).toEqual([]);
    expect(scenario.faults).toHaveLength(1);
    expect(scenario.chain).toMatchObject({ blockTime: 1, confirmations: 1n });
  });

  it('leaves out what nobody can do to real processes, and says so', () => {
    const { scenario, left } = liveScenario(
      parsed(readScenario('everything-at-once') ?? ''),
      TERMS,
    );
    expect(left.join('; ')).toMatch(/^the faults kill_at.*, loss,.*; monitoring services$/);
    expect(scenario.faults.map(({ kind }) => kind)).toContain('kill');
    expect(scenario.faults.map(({ kind }) => kind)).not.toContain('loss');
  });
});

/** What is looked at of a result in a file. */
type Result = {
  payments: unknown;
  nodes: readonly { kills: number }[];
  channels: readonly { endA: string; endB: string }[];
};

describe('a live run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-live-'));
  afterEach(endPrograms);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function resultIn(name: string): Result {
    return JSON.parse(readFileSync(join(folder, 'out', name), 'utf8'));
  }

  it('has the same payments, deaths and final balances as its simulation', async () => {
    const scenario = join(folder, 'dying.yaml');
    writeFileSync(scenario, DYING);
    const program = startProgram(['simulate', scenario, '--live', '--out', join(folder, 'out')], {
      TMPDIR: folder,
    });
    const code = await program.ended;
    expect(program.stderr()).not.toMatch('sluice: ');
    expect(code).toBe(0);
    const [live, simulated] = [resultIn('live.json'), resultIn('simulated.json')];
    expect(live.payments).toEqual({ started: 2, succeeded: 2, failed: {} });
    expect(live.payments).toEqual(simulated.payments);
    expect(live.nodes.map(({ kills }) => kills)).toEqual([0, 1, 0]);
    const ends = ({ channels }: Result) => channels.map(({ endA, endB }) => [endA, endB]);
    expect(ends(live)).toEqual(ends(simulated));
    expect(program.stdout()).toMatch(/^Balances at the end +0 % apart$/m);
  });
});
