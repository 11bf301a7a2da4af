/** Attacks that need more than a partner's messages: other people's money, transactions, or messages. */
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/simulation/run/build.ts';
import { eventsOf, scenarioOf } from './small-scenarios.ts';

const QUICK = { reveal_timeout: 15, settle_timeout: 60, gas_money: '10 ether' };
const HARMLESS = [
  { measure: 'honest_loss', equals: '0' },
  { measure: 'attacker_gain', equals: '0' },
];
const said = (events: readonly RunEvent[], plan: string, what: string) =>
  events.filter((event) => event.who === plan && event.what.startsWith(what)).length;

describe('an attack', () => {
  it('that drains fees sends money round, and earns nothing from a mediator that caps them', async () => {
    const scenario = scenarioOf({
      network: { topology: { kind: 'star', nodes: 3 }, split: 0.3 },
      defaults: QUICK,
      nodes: [{ nodes: '0', fees: { flat: '0', imbalance_ppm: 20_000 } }],
      attacks: [{ plan: 'fee_drain', nodes: '1..2', victims: '0' }],
      run: { blocks: 120, calm: 60 },
      expectations: HARMLESS,
    });
    const { events, result } = await eventsOf(scenario, 1);
    expect(said(events, 'fee_drain', 'sends')).toBeGreaterThan(10);
    expect(result.nodes[0]?.mediated).toBeGreaterThan(5);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  });

  it.each([
    { plan: 'lock_jamming', nodes: '2..3' },
    { plan: 'dust', nodes: '3' },
  ])(
    'that holds locks ($plan) holds each until it runs out, and whoever passes it on earns nothing',
    async (attack) => {
      const scenario = scenarioOf({
        network: { topology: { kind: 'star', nodes: 4 } },
        chain: { confirmations: 1 },
        defaults: { ...QUICK, reveal_timeout: 10, settle_timeout: 20 },
        attacks: [attack],
        run: { blocks: 40, calm: 32 },
        expectations: [...HARMLESS, { measure: 'stuck_locks', equals: 0 }],
      });
      const { result } = await eventsOf(scenario, 1);
      const [cheat] = result.cheats;
      expect(cheat?.ranOut).toBeGreaterThan(20);
      expect(cheat?.ranOut).toBe(cheat?.rows.spent);
      expect(result.nodes.map(({ mediated, received }) => mediated + received)).toEqual([
        0, 0, 0, 0,
      ]);
      expect([result.verdict, result.violation]).toEqual(['passed', null]);
    },
  );

  it('that opens a worthless channel fills it with locks, and costs others none of their money', async () => {
    const scenario = scenarioOf({
      network: { topology: { kind: 'star', nodes: 4 } },
      chain: { confirmations: 1 },
      defaults: { ...QUICK, reveal_timeout: 10, settle_timeout: 20 },
      traffic: [
        {
          from: { kind: 'nodes', nodes: '1..2' },
          to: { kind: 'nodes', nodes: '1..2' },
          rate: { kind: 'poisson', per_block: 1 },
          amount: { kind: 'constant', amount: '1 tokens' },
          until_block: 20,
        },
      ],
      attacks: [{ plan: 'worthless_channels', nodes: '3', victims: '0' }],
      run: { blocks: 70, calm: 50 },
      expectations: [...HARMLESS, { measure: 'success_rate', equals: 1 }],
    });
    const { events, result } = await eventsOf(scenario, 1);
    expect(said(events, 'worthless_channels', 'locks 160 times')).toBeGreaterThan(0);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  }, 60_000);

  it('that drains fees costs a mediator what its owner lets it pay, and no more', async () => {
    const scenario = scenarioOf({
      network: { topology: { kind: 'star', nodes: 3 }, split: 0.3 },
      defaults: QUICK,
      nodes: [{ nodes: '0', fees: { flat: '0', imbalance_ppm: 20_000, cap: false } }],
      attacks: [{ plan: 'fee_drain', nodes: '1..2', victims: '0' }],
      run: { blocks: 120, calm: 60 },
    });
    const { result } = await eventsOf(scenario, 1);
    expect(result.nodes[0]?.mediated).toBeGreaterThan(5);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  });

  it('that rides on a monitoring service takes its reward, and the sleeper keeps its money', async () => {
    const scenario = scenarioOf({
      network: { topology: { kind: 'line', nodes: 3 } },
      defaults: QUICK,
      services: { monitoring: { count: 1, reward: '5 tokens' } },
      traffic: [
        {
          from: { kind: 'nodes', nodes: '0' },
          to: { kind: 'nodes', nodes: '1' },
          rate: { kind: 'constant', per_block: 0.5 },
          amount: { kind: 'constant', amount: '2 tokens' },
          until_block: 30,
        },
      ],
      steps: [
        { do: 'stop', at_block: 40, nodes: '1' },
        { do: 'start', at_block: 130, nodes: '1' },
      ],
      attacks: [
        { plan: 'stale_close', nodes: '0', from_block: 42 },
        { plan: 'free_rider', nodes: '2', from_block: 20 },
      ],
      run: { blocks: 220, calm: 80 },
      expectations: HARMLESS,
    });
    const { events, result } = await eventsOf(scenario, 2);
    expect(said(events, 'free_rider', 'copies')).toBeGreaterThan(0);
    expect(result.transactionsByType['monitor']?.count).toBeGreaterThan(1);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  });

  it('with the help of the broker closes the channel of a silent partner, and gets only what is its own', async () => {
    const scenario = scenarioOf({
      network: { topology: { kind: 'ring', nodes: 4 } },
      defaults: QUICK,
      traffic: [
        {
          rate: { kind: 'poisson', per_block: 1 },
          amount: { kind: 'uniform', least: '1 tokens', most: '3 tokens' },
          until_block: 40,
        },
      ],
      attacks: [{ plan: 'hostile_broker', nodes: '3', from_block: 5 }],
      steps: [{ do: 'pause', at_block: 42, nodes: '2', blocks: 20 }],
      run: { blocks: 230, calm: 140 },
      expectations: HARMLESS,
    });
    const { events, result } = await eventsOf(scenario, 1);
    expect(said(events, 'hostile_broker', 'closes')).toBeGreaterThan(0);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
  });
});
