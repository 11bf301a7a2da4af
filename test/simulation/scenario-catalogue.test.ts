/** The scenarios that come with the program. */
import { describe, expect, it } from 'vitest';
import { readScenario, scenarioNames } from '../../src/simulation/scenario/catalogue.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { PLANS } from '../../src/simulation/scenario/schema/plans.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { FAULT_KINDS } from '../../src/simulation/scenario/schema/trouble.ts';
import { buildNetwork } from '../../src/simulation/scenario/topology.ts';
import { createTraffic } from '../../src/simulation/scenario/traffic.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

function scenarioOf(name: string): Scenario {
  const parsed = parseScenario(readScenario(name) ?? '', 'unnamed');
  if (!parsed.ok) throw new Error(`${name}: ${JSON.stringify(parsed.problems, null, 2)}`);
  return parsed.scenario;
}
const names = scenarioNames();

describe('a scenario of the catalogue', () => {
  it.each(names)('can be read, says what it shows, and makes a network: %s', (name) => {
    const text = readScenario(name) ?? '';
    expect(
      text.startsWith('# yaml-language-server: $schema=../../../docs/scenario.schema.json\n'),
    ).toBe(true);
    const scenario = scenarioOf(name);
    expect(scenario.name).toBe(name);
    expect(scenario.description.length).toBeGreaterThan(100);
    expect(scenario.expectations.length).toBeGreaterThan(1);
    expect(scenario.traffic.length + scenario.steps.length).toBeGreaterThan(0);
    const randomness = createRandomness(scenario.seed);
    const { nodes, channels } = buildNetwork(scenario, randomness);
    expect(nodes.length).toBeGreaterThan(1);
    expect(channels.every(({ depositA, depositB }) => depositA + depositB > 0n)).toBe(true);
    const payment = createTraffic(scenario, nodes, randomness).next();
    expect(payment === null).toBe(scenario.traffic.length === 0);
  });

  it('expects that nobody honest loses anything, unless a disk forgets', () => {
    const lossy = names.filter(
      (name) =>
        !scenarioOf(name).expectations.some(
          ({ measure, operator, value }) =>
            measure === 'honest_loss' && operator === 'equals' && value === 0n,
        ),
    );
    expect(lossy).toEqual(['old-backup']);
  });
});

describe('the catalogue', () => {
  const scenarios = names.map(scenarioOf);

  it('has at least 22 scenarios, small and large, with seeds of their own', () => {
    expect(names.length).toBeGreaterThanOrEqual(22);
    expect(names).toContain('line-of-three');
    expect(names).toContain('scale-free-1000-hubs-fail');
    expect(new Set(scenarios.map(({ seed }) => seed)).size).toBeGreaterThan(20);
  });

  it('has every attack, every kind of fault, every topology and every step', () => {
    const of = (found: readonly string[][]) => [...new Set(found.flat())].toSorted();
    const plans = scenarios.map(({ attacks, nodes }) => [
      ...attacks.map(({ plan }) => plan),
      ...nodes.flatMap(({ behaviour }) =>
        behaviour === null || behaviour === 'silent' || behaviour === 'honest' ? [] : [behaviour],
      ),
    ]);
    expect(of(plans)).toEqual([...PLANS].toSorted());
    const faults = of(scenarios.map(({ faults }) => faults.map(({ kind }) => kind)));
    expect(faults).toEqual([...FAULT_KINDS].toSorted());
    const topologies = of(scenarios.map(({ network }) => [network.topology.kind]));
    const shapes = 'complete empty grid import line ring scale_free small_world star';
    expect(topologies.join(' ')).toBe(shapes);
    const steps = of(scenarios.map(({ steps }) => steps.map((step) => step.do)));
    const actions =
      'await_settled close deposit kill leave open_channel pause pay start stop withdraw';
    expect(steps.join(' ')).toBe(actions);
  });

  it('has none of another name, and reads no other file', () => {
    for (const name of ['none', '', '../scenario/schema', 'line-of-three.yaml'])
      expect(readScenario(name)).toBeNull();
  });
});
