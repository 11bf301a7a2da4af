/** Path-finding and monitoring services in virtual time: the real ones. */
import { describe, expect, it } from 'vitest';
import { eventsOf, scenarioOf } from './small-scenarios.ts';

const FIVE = { network: { topology: { kind: 'line', nodes: 5 } } };
const QUICK = { reveal_timeout: 15, settle_timeout: 60, gas_money: '10 ether' };
const pay = (at_block: number, expect: string) => {
  return { do: 'pay', at_block, node: 0, to: 4, amount: '1 tokens', expect };
};
const asking = (more: object) => ({
  services: { path_finding: { kind: 'services', count: 2, ...more } },
});

describe('path-finding services', () => {
  it('find ways for nodes that pay for them', async () => {
    const given = { ...FIVE, ...asking({}), steps: [pay(5, 'success'), pay(6, 'success')] };
    const scenario = scenarioOf({ ...given, defaults: QUICK, run: { blocks: 20, calm: 10 } });
    const { result, events } = await eventsOf(scenario, 1);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
    expect(events.filter(({ what }) => what.includes('cannot go on'))).toEqual([]);
    const again = await eventsOf(scenario, 1);
    expect(again.result.trace).toBe(result.trace);
  });

  it.each([
    ['loops', 'failure'],
    ['foreign_channels', 'failure'],
    ['other_chain', 'failure'],
    ['dear', 'failure'],
    ['slow', 'failure'],
    ['endless', 'failure'],
  ])('harm nobody when what they answer is wrong: %s', async (lies, end) => {
    const given = { ...FIVE, ...asking({ lies }), steps: [pay(5, end)] };
    const { result } = await eventsOf(
      scenarioOf({ ...given, defaults: QUICK, run: { blocks: 80, calm: 70 } }),
      1,
    );
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  });

  it('can be away, and payments find no way meanwhile', async () => {
    const faults = [{ kind: 'path_finding_down', when: { at_block: 5, blocks: 10 } }];
    const steps = [pay(4, 'success'), pay(8, 'failure'), pay(18, 'success')];
    const given = { ...FIVE, ...asking({}), steps, faults, defaults: QUICK };
    const { result } = await eventsOf(scenarioOf({ ...given, run: { blocks: 30, calm: 10 } }), 1);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  });
});

describe('monitoring services', () => {
  const SLEEPING = {
    network: { topology: { kind: 'line', nodes: 3 } },
    defaults: QUICK,
    traffic: [
      {
        from: { kind: 'nodes', nodes: '0' },
        to: { kind: 'nodes', nodes: '1' },
        rate: { kind: 'constant', per_block: 1 },
        amount: { kind: 'constant', amount: '2 tokens' },
        until_block: 30,
      },
    ],
    steps: [
      { do: 'stop', at_block: 40, nodes: '1' },
      { do: 'start', at_block: 150, nodes: '1' },
    ],
    attacks: [{ plan: 'stale_close', nodes: '0', from_block: 42 }],
    run: { blocks: 260, calm: 100 },
    expectations: [{ measure: 'settled_channels', equals: 1 }],
  };
  const monitored = (monitoring: object) =>
    eventsOf(scenarioOf({ ...SLEEPING, services: { monitoring } }), 2);

  it('answer for a node that sleeps while its partner closes with an old state', async () => {
    const { result } = await monitored({ count: 2, reward: '5 tokens' });
    expect(result.transactionsByType).toHaveProperty('monitor');
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  });

  it('do nothing when all of them are lazy, and the sleeper loses what it slept over', async () => {
    const { result } = await monitored({ count: 2, lazy: 2, reward: '5 tokens' });
    expect(result.transactionsByType).not.toHaveProperty('monitor');
    expect(result.violation?.invariant).toContain('5 ');
  });
});
