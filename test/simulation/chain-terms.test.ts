/** What a scenario says of its chain, as its nodes meet it. */
import { describe, expect, it } from 'vitest';
import { eventsOf, scenarioOf } from './small-scenarios.ts';

const CLOSING = {
  steps: [{ do: 'close', at_block: 5, node: 0, partner: 1 }],
  defaults: { reveal_timeout: 15, settle_timeout: 30, gas_money: '10 ether' },
  run: { blocks: 70, calm: 10 },
};
const isBlock = ({ who, what }: { who: string; what: string }) =>
  who === 'chain' && what.startsWith('block ');
const numberIn = (what: string) => Number(what.split(' ')[1]);
const SETTLED = { measure: 'settled_channels', equals: 1 };

describe('the chain of a scenario', () => {
  it('begins at its start block', async () => {
    const scenario = scenarioOf({ chain: { start_block: 20_000_000 }, ...PAYING });
    const { events, result } = await eventsOf(scenario, 1);
    const numbers = events.filter(isBlock).map(({ what }) => numberIn(what));
    expect(numbers[0]).toBe(20_000_001);
    expect(result.verdict).toBe('passed');
  });

  it('has blocks at irregular times, and as many as the scenario says', async () => {
    const scenario = scenarioOf({ chain: { jitter: 0.9 }, ...PAYING });
    const { events, result } = await eventsOf(scenario, 1);
    const times = events.filter(isBlock).map(({ virtualMs }) => virtualMs);
    const pauses = new Set(times.slice(20).map((time, n) => time - (times[n + 19] ?? 0)));
    expect(pauses.size).toBeGreaterThan(10);
    expect(result.blocks).toBeGreaterThanOrEqual(29);
    expect(result.blocks).toBeLessThanOrEqual(31);
    expect(result.verdict).toBe('passed');
  });

  it('leaves transactions out while others fill its blocks', async () => {
    const congestion = [{ at_block: 4, blocks: 40, share: 1 }];
    const quiet = await eventsOf(scenarioOf(CLOSING), 1);
    const crowded = await eventsOf(scenarioOf({ ...CLOSING, chain: { congestion } }), 1);
    const closedAt = ({ result }: typeof quiet) =>
      result.series.findIndex(({ gasUsed }) => gasUsed > 0);
    expect(closedAt(crowded)).toBeGreaterThan(closedAt(quiet));
    const [fault] = crowded.result.faults;
    expect(fault).toMatchObject({ name: 'full_blocks', fromBlock: 4, toBlock: 44 });
  });

  it('makes gas dear for a while', async () => {
    const spike = { price_spikes: [{ at_block: 3, blocks: 40, factor: 50 }] };
    const gasOf = async (chain: object) => {
      const { result } = await eventsOf(scenarioOf({ ...CLOSING, chain }), 1);
      return result.nodes[0]?.gasSpentWei ?? 0n;
    };
    expect(await gasOf(spike)).toBeGreaterThan(5n * (await gasOf({})));
  });

  it.each(['again', 'later', 'never'])(
    'replaces its newest blocks, whose transactions come %s',
    async (transactions) => {
      const reorganisations = { rate: 0.3, depth: { least: 1, most: 4 }, transactions };
      const chain = { confirmations: 5, reorganisations };
      const { result } = await eventsOf(
        scenarioOf({ ...CLOSING, chain, expectations: [SETTLED] }),
        1,
      );
      expect(result.faults.length).toBeGreaterThan(5);
      expect(result.faults.every(({ name }) => name === 'reorganisation')).toBe(true);
      expect([result.verdict, result.violation]).toEqual(['passed', null]);
    },
  );
});

const PAYING = {
  steps: [{ do: 'pay', at_block: 5, node: 0, to: 2, amount: '1 tokens', expect: 'success' }],
  run: { blocks: 30, calm: 10 },
};

describe('nodes under which confirmed blocks were replaced', () => {
  it('begin again from the fork, promise nothing until their owners have looked, and pay again', async () => {
    const steps = [
      { do: 'pay', at_block: 5, node: 0, to: 2, amount: '1 tokens', expect: 'success' },
      { do: 'pay', at_block: 24, node: 0, to: 2, amount: '1 tokens', expect: 'failure' },
      { do: 'pay', at_block: 45, node: 0, to: 2, amount: '1 tokens', expect: 'success' },
    ];
    const faults = [{ kind: 'reorganisation', depth: 12, when: { at_block: 20 } }];
    const scenario = scenarioOf({ steps, faults, run: { blocks: 80, calm: 20 } });
    const { result } = await eventsOf(scenario, 1);
    expect([result.verdict, result.violation]).toEqual(['passed', null]);
    expect(result.nodes.map(({ kills }) => kills)).toEqual([0, 0, 0]);
  });
});
