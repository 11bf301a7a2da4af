/** What the small worlds of all seeds are made of. */
import { describe, expect, it } from 'vitest';
import { mixScenario } from '../../src/simulation/run/mix/mix.ts';
import { PLANS } from '../../src/simulation/scenario/schema/plans.ts';
import { FAULT_KINDS } from '../../src/simulation/scenario/schema/trouble.ts';

const SCENARIOS = Array.from({ length: 600 }, (_, n) => mixScenario(n + 1));

describe('the small worlds of many seeds', () => {
  it('include every fault', () => {
    const drawn = new Set(SCENARIOS.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
    expect(FAULT_KINDS.filter((kind) => !drawn.has(kind))).toEqual([]);
  });

  it('bring several faults together, and up to two cheats', () => {
    const faults = SCENARIOS.map((scenario) => scenario.faults.length);
    expect(Math.min(...faults)).toBe(3);
    const cheats = SCENARIOS.map(({ attacks }) =>
      attacks.filter(({ plan }) => plan !== 'worthless_channels'),
    );
    expect(new Set(cheats.map(({ length }) => length))).toEqual(new Set([0, 1, 2]));
  });

  it('have nodes that pay each other over others, to and fro', () => {
    const hasBoth = ({ traffic }: (typeof SCENARIOS)[number]) => {
      const [there, back] = traffic;
      return JSON.stringify(there?.from) === JSON.stringify(back?.to);
    };
    expect(SCENARIOS.every(hasBoth)).toBe(true);
    const sizes = SCENARIOS.map(({ network }) => Object(network.topology).nodes);
    expect(new Set(sizes)).toEqual(new Set([3, 4, 5]));
  });

  it('have replicated nodes in every seventh seed at least', () => {
    const replicated = SCENARIOS.filter(({ nodes }) => nodes.some((one) => one.standby !== null));
    expect(replicated.length * 7).toBeGreaterThan(SCENARIOS.length);
  });

  it('include every attack but those that only a scenario can write', () => {
    const drawn = new Set(SCENARIOS.flatMap(({ attacks }) => attacks.map(({ plan }) => plan)));
    expect(PLANS.filter((plan) => !drawn.has(plan))).toEqual(['moves']);
  });

  it('include owners that forget, cap what is paid, join, and fill and empty the user deposit', () => {
    const asked = new Set(SCENARIOS.flatMap(({ steps }) => steps.map((step) => step.do)));
    for (const one of [
      'join',
      'fill_user_deposit',
      'plan_user_withdrawal',
      'withdraw_user_deposit',
    ])
      expect(asked).toContain(one);
    expect(SCENARIOS.some(({ defaults }) => defaults.keepHistory !== null)).toBe(true);
    expect(SCENARIOS.some(({ traffic }) => traffic.some(({ perDay }) => perDay !== null))).toBe(
      true,
    );
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
