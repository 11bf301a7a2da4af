/** Whole networks of the real node, in virtual time. More of them: SLUICE_SEEDS=2000; a check runs `simulate mix`, too. */
import { describe, expect, it } from 'vitest';
import { mixScenario } from '../../src/simulation/run/mix/mix.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { readScenario } from '../../src/simulation/scenario/catalogue.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { pay, smallScenario } from './small-scenarios.ts';

const SEEDS = Number(process.env['SLUICE_SEEDS'] ?? 2);

function shortened(scenario: Scenario, blocks: bigint): Scenario {
  return { ...scenario, run: { ...scenario.run, blocks: scenario.run.calm + blocks } };
}

function scenarioNamed(name: string): Scenario {
  const parsed = parseScenario(readScenario(name) ?? '', name);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

describe('a simulated network', () => {
  it('starts a node again that stood still when it was stopped', async () => {
    const scenario = smallScenario('small', 'A restart of a process that stands still.', {
      steps: [pay(0, 2, 10, 8)],
      faults: [
        { kind: 'pause', nodes: '2', when: { at_block: 1, blocks: 4 } },
        { kind: 'restart', nodes: '2', when: { at_block: 2, blocks: 1 } },
      ],
      busy: 10,
    });
    const { payments } = await simulate({ scenario, seed: 1 });
    expect(payments.succeeded).toBe(1);
  });

  it('pays over a mediator, and nobody loses anything', async () => {
    const scenario = shortened(scenarioNamed('line-of-three'), 30n);
    const { payments, violation, nodes } = await simulate({ scenario, seed: 7 });
    expect(violation).toBeNull();
    expect(payments.succeeded).toBeGreaterThan(20);
    expect(nodes.map(({ loss }) => loss)).toEqual([0n, 0n, 0n]);
  });

  it('counts the messages that each payment took', async () => {
    const part = { steps: [pay(0, 2, 10), pay(0, 1, 10, 3)] };
    const scenario = smallScenario('small', 'A mediated payment, and a direct one.', part);
    const { histograms } = await simulate({ scenario, seed: 1 });
    expect(histograms.latencyMessages).toEqual([
      { value: 5, count: 1 },
      { value: 12, count: 1 },
    ]);
  });

  it('does the same again for the same seed, to the last byte, and something else for another', async () => {
    const traceOf = async (seed: number) => {
      const { trace, steps } = await simulate({ scenario: mixScenario(11), seed });
      return `${trace} ${steps}`;
    };
    const first = await traceOf(1);
    expect(await traceOf(1)).toBe(first);
    expect(await traceOf(2)).not.toBe(first);
  });

  it('gives the thread its real clock and chance back', async () => {
    const before = [Date, Math.random, setTimeout, setImmediate, fetch];
    await simulate({ scenario: shortened(scenarioNamed('line-of-three'), 2n), seed: 1 });
    expect([Date, Math.random, setTimeout, setImmediate, fetch]).toEqual(before);
    expect(Date.now()).toBeLessThan(Date.UTC(2030, 0, 1));
  });

  it('stops where it is told to, and says so', async () => {
    const scenario = scenarioNamed('line-of-three');
    const onBlock = ({ block }: { block: number }) => block < 4;
    const { verdict, blocks } = await simulate({ scenario, seed: 1, onBlock });
    expect(verdict).toBe('stopped');
    expect(blocks).toBeLessThan(10);
  });
});

describe('small worlds in which everything may happen', () => {
  it('never take anything from an honest node, and everything in them ends', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violation } = await simulate({ scenario: mixScenario(seed), seed });
      if (violation !== null) found.push(`${seed}: ${violation.invariant}: ${violation.text}`);
    }
    expect(found).toEqual([]);
  }, 7_200_000);
});
