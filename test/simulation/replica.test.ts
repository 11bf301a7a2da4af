/** A replicated node: its machine dies or is lost, and another one goes on from its stream. */
import { describe, expect, it } from 'vitest';
import { CRASH_SEED, crashPointsOf } from '../../src/simulation/run/crash-points.ts';
import { replicatedScenario } from '../../src/simulation/run/crash-scenarios.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { walk } from '../support/walks.ts';

/** What happens, to which node, and after how many seconds of silence its standby takes over; null: never. */
const USUAL: readonly [string, number, number | null][] = [
  ['a payment', 0, 5],
  ['a payment', 1, 5],
  ['a payment', 1, null],
  ['a mediated payment', 1, 5],
  ['a deposit', 0, 5],
  ['a withdrawal', 0, 5],
  ['a withdrawal', 1, 5],
  ['a close', 0, 5],
  ['a close', 1, null],
];
/** Of the many records that only say that the node lives, and of their answers, every so many are tried. */
const EVERY = 12;

describe('a replicated node that dies at any point', () => {
  it.each(walk(USUAL, (_, index) => index === 0))(
    'loses nothing that anybody has seen: %s, of node %d, with a takeover after %s s',
    async (name, node, takeoverAfter) => {
      const scenario = replicatedScenario(name, node, takeoverAfter);
      const own = (await crashPointsOf(scenario)).filter(({ index }) => index === node);
      const points = own.filter(
        ({ point, nth }) => !point.startsWith('record.') || nth % EVERY === 0,
      );
      const found: string[] = [];
      for (const crash of points) {
        const result = await simulate({ scenario, seed: CRASH_SEED, crashes: [crash] });
        if (result.nodes[node]?.kills !== 1) found.push(`${JSON.stringify(crash)}: no death`);
        if (result.violation !== null)
          found.push(`${JSON.stringify(crash)}: ${result.violation.text}`);
      }
      expect(found).toEqual([]);
      expect(points.length).toBeGreaterThan(30);
    },
    600_000,
  );
});
