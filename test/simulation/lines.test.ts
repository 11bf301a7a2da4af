/** Lines between two nodes that have a delay and a loss of their own. */
import { describe, expect, it } from 'vitest';
import { buildNetwork } from '../../src/simulation/scenario/topology.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { ALICE, BOB, CAROL, numbers, openNetwork, text } from '../support/simulated-network.ts';
import { eventsOf, scenarioOf } from './small-scenarios.ts';

const isBetween = (ends: readonly string[], a: string, b: string) =>
  ends.includes(a) && ends.includes(b);

describe('a line of its own', () => {
  it('delivers after its delay, each way, and changes no other line', async () => {
    const timesWith = async (delayMs: number | null) => {
      const { a, b, c, network, scheduler, settle } = openNetwork(1, {
        lineOf: (from, to) =>
          delayMs !== null && isBetween([ALICE, BOB], from, to) ? { delayMs, loss: 0 } : null,
      });
      const when: Record<string, number> = {};
      network.tap(({ type, parcel: { from, to } }) => {
        if (type === 'delivered') when[`${from} ${to}`] = scheduler.now();
      });
      a.publish(BOB, text('there'));
      b.publish(ALICE, text('back'));
      c.publish(BOB, text('from elsewhere'));
      await settle();
      return when;
    };
    const [far, usual] = [await timesWith(700), await timesWith(null)];
    expect([far[`${ALICE} ${BOB}`], far[`${BOB} ${ALICE}`]]).toEqual([700, 700]);
    expect(far[`${CAROL} ${BOB}`]).toBe(usual[`${CAROL} ${BOB}`]);
  });

  it('loses its share of what passes over it, and says so', async () => {
    const { a, heard, sights, settle } = openNetwork(1, {
      lineOf: (from, to) => (isBetween([ALICE, BOB], from, to) ? { delayMs: 1, loss: 0.5 } : null),
    });
    for (const n of numbers(200)) a.publish(BOB, text(n));
    for (const n of numbers(50)) a.publish(CAROL, text(n));
    await settle();
    const lost = sights.filter(({ type, by }) => type === 'lost' && by === 'its line').length;
    expect(lost).toBeGreaterThan(70);
    expect(lost).toBeLessThan(130);
    expect(heard).toHaveLength(250 - lost);
  });
});

describe('the lines of a scenario', () => {
  it('are between any nodes of two selections, and a later one counts before', () => {
    const scenario = scenarioOf({
      network: {
        topology: { kind: 'line', nodes: 4 },
        lines: [
          { between: ['all', 'all'], delay_ms: 10 },
          { between: ['0', '1..2'], delay_ms: 300, loss: 0.1 },
        ],
      },
    });
    const { lineOf } = buildNetwork(scenario, createRandomness(1));
    expect(lineOf(0, 2)).toEqual({ delayMs: 300, loss: 0.1 });
    expect(lineOf(1, 0)).toEqual({ delayMs: 300, loss: 0.1 });
    expect(lineOf(1, 2)).toEqual({ delayMs: 10, loss: 0 });
  });

  it('name nodes that there are', () => {
    const network = {
      topology: { kind: 'line', nodes: 3 },
      lines: [{ between: ['0', '3'], delay_ms: 10 }],
    };
    expect(() => scenarioOf({ network })).toThrow('names more nodes than there are');
  });

  it('make payments over them slower', async () => {
    const pay = { do: 'pay', at_block: 1, node: 0, to: 2, amount: '1 tokens', expect: 'success' };
    const timeOver = async (delay_ms: number) => {
      const { events, result } = await eventsOf(
        scenarioOf({
          network: {
            topology: { kind: 'line', nodes: 3 },
            lines: [{ between: ['0', '1'], delay_ms }],
          },
          steps: [pay],
          run: { blocks: 8, calm: 6 },
        }),
        1,
      );
      expect(result.violation).toBeNull();
      const arrived = events.find(({ what }) => what.endsWith(': arrived'));
      return arrived?.virtualMs ?? 0;
    };
    expect((await timeOver(1_000)) - (await timeOver(10))).toBeGreaterThan(1_900);
  });
});
