/** What the small worlds of all seeds are made of. */
import { describe, expect, it } from 'vitest';
import { mixScenario } from '../../src/simulation/run/mix.ts';
import { PLANS } from '../../src/simulation/scenario/plans.ts';
import { FAULT_KINDS } from '../../src/simulation/scenario/schema-trouble.ts';

const SCENARIOS = Array.from({ length: 600 }, (_, n) => mixScenario(n + 1));

describe('the small worlds of many seeds', () => {
  it('include every fault', () => {
    const drawn = new Set(SCENARIOS.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
    expect(FAULT_KINDS.filter((kind) => !drawn.has(kind))).toEqual([]);
  });

  it('include every attack but those that only a scenario can write', () => {
    const drawn = new Set(SCENARIOS.flatMap(({ attacks }) => attacks.map(({ plan }) => plan)));
    expect(PLANS.filter((plan) => !drawn.has(plan))).toEqual(['moves']);
  });

  it('include monitoring and path-finding services, some of which lie', () => {
    const services = SCENARIOS.map((scenario) => scenario.services);
    expect(services.some(({ monitoring }) => monitoring.count > monitoring.lazy)).toBe(true);
    const lies = services.flatMap(({ pathFinding }) =>
      pathFinding.kind === 'services' ? [pathFinding.lies] : [],
    );
    expect(new Set(lies).size).toBe(7);
  });
});
