/** Payers that let a node pay for the chain although they pay in the end: what it costs the node, and whom else. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { pay, smallScenario } from './small-scenarios.ts';

/** The hub of a star, an attacker, and two who pay each other over the hub. */
const [HUB, ATTACKER, PAYER, PAYEE] = [0, 1, 2, 3];
/** Locks of one unit in each cycle, and the blocks that one takes: a lock lives for 19. */
const LOCKS = 80;
const CYCLE = 20;

/** The attacker unlocks five blocks after the hub has begun to register, over and over. What each block cost. */
async function run(cycles: number) {
  const blocks = Array.from({ length: cycles }, (_, n) => 1 + n * CYCLE);
  const busy = cycles * CYCLE;
  const result = await simulate({
    seed: 1,
    scenario: smallScenario('gas', 'A payer unlocks late.', {
      topology: { kind: 'star', nodes: 4 },
      capacity: '100000',
      steps: [
        ...blocks.flatMap((block) =>
          Array.from({ length: LOCKS }, () => pay(ATTACKER, PAYEE, 1, block)),
        ),
        { ...pay(PAYER, PAYEE, 50, busy), expect: 'success' },
      ],
      attacks: [
        {
          plan: 'moves',
          nodes: String(ATTACKER),
          moves: [{ do: 'hold', type: 'unlock', blocks: 14, times: 100_000 }],
        },
      ],
      faults: [{ kind: 'kill', nodes: String(HUB), when: { at_block: 3 * CYCLE - 1, blocks: 1 } }],
      busy,
    }),
  });
  expect(result.violation).toBeNull();
  return result.series;
}

describe('a payer that unlocks its payments to somebody behind the node only when the secrets are on chain', () => {
  it('costs the node no more gas from some point on, also over restarts, and keeps nobody else from paying', async () => {
    // Some cycles are lost: a lock that shares its Update with a late unlock comes late itself.
    const series = await run(8);
    const gasOf = (from: number, until: number) =>
      series
        .filter(({ block }) => from < block && block <= until)
        .reduce((sum, { gasUsed }) => sum + gasUsed, 0);
    expect(gasOf(0, 7 * CYCLE)).toBeGreaterThan(0);
    expect(gasOf(7 * CYCLE, 8 * CYCLE)).toBe(0);
  }, 120_000);
});
