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
    const usual = SCENARIOS.filter(({ attacks }) => attacks.every(({ plan }) => plan !== 'moves'));
    const faults = usual.map((scenario) => scenario.faults.length);
    expect(Math.min(...faults)).toBe(3);
    const cheats = usual.map(({ attacks }) =>
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

  it('include every attack', () => {
    const drawn = new Set(SCENARIOS.flatMap(({ attacks }) => attacks.map(({ plan }) => plan)));
    expect(PLANS.filter((plan) => !drawn.has(plan))).toEqual([]);
  });

  it('include strangers who take money for gas in every tenth seed at least, often from a node with little of it', () => {
    const schemed = SCENARIOS.filter(({ attacks }) => attacks.some(({ plan }) => plan === 'moves'));
    expect(schemed.length * 10).toBeGreaterThan(SCENARIOS.length);
    const poor = schemed.filter(({ nodes }) => nodes.some(({ gasMoney }) => gasMoney !== null));
    expect(poor.length * 3).toBeGreaterThan(schemed.length);
    const moves = schemed.flatMap(({ attacks }) => attacks.flatMap((attack) => attack.moves));
    const said = JSON.stringify(moves, (_, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    for (const word of [
      'abandon',
      '"gift":1',
      '"burning"',
      '"settleTimeout":10000',
      'shared',
      'told',
    ])
      expect(said).toContain(word);
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
    expect(SCENARIOS.some(({ nodes }) => nodes.some(({ sells }) => sells !== null))).toBe(true);
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
