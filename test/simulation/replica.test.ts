/**
 * A replicated node: its machine dies or is lost, and another one goes on from its stream. All of the walks:
 * SLUICE_CRASHES=all.
 */
import { describe, expect, it } from 'vitest';
import { CRASH_SEED } from '../../src/simulation/run/crash-points.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { crashPointsOf, replicatedScenario } from './crash-scenarios.ts';
import {
  close,
  type Part,
  pay,
  smallScenario,
  TIME_TO_SETTLE,
  type Tree,
} from './small-scenarios.ts';

type Walk = readonly [happens: string, node: number, takeoverAfter: number | null];
/** What happens, to which node, and after how many seconds of silence its standby takes over; null: never. */
const ALL: readonly Walk[] = [
  ['a payment', 0, 5],
  ['a payment', 0, null],
  ['a payment', 1, 5],
  ['a payment', 1, null],
  ['a mediated payment', 1, 5],
  ['a mediated payment', 1, null],
  ['a deposit', 0, 5],
  ['a withdrawal', 0, 5],
  ['a withdrawal', 1, 5],
  ['a close', 0, 5],
  ['a close', 1, null],
];
/** Each kind of thing once. */
const USUAL = ALL.filter((_, index) => [0, 4, 7].includes(index));
const isWhole = process.env['SLUICE_CRASHES'] === 'all';
const CHOSEN = isWhole ? ALL : USUAL;
/** Of so many points one, each time others. */
const SHARE = isWhole ? 1 : 12;

describe('a replicated node that dies at any point', () => {
  it.each(CHOSEN.map((one, at) => [...one, at] as const))(
    'loses nothing that anybody has seen: %s, of node %d, with a takeover after %s s',
    async (name, node, takeoverAfter, at) => {
      const scenario = replicatedScenario(name, node, takeoverAfter);
      const points = (await crashPointsOf(scenario)).filter(({ index }) => index === node);
      const found: string[] = [];
      for (const crash of points.filter((_, n) => n % SHARE === at % SHARE)) {
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

const fault = (kind: string, at_block: number, blocks: number): Tree => {
  return { kind, nodes: '0', when: { at_block, blocks } };
};
const paid = (node: number, to: number, block: number): Tree => {
  return { ...pay(node, to, 10, block), expect: 'success' };
};

/** What the run of two nodes found, of which the first is replicated; null: nothing. */
async function violationIn(takeoverAfter: number | null, part: Omit<Part, 'settings'>, seed = 1) {
  const settings = [{ nodes: '0', standby: { takeover_after: takeoverAfter } }];
  const scenario = smallScenario('a standby', 'A standby.', { nodes: 2, ...part, settings });
  return (await simulate({ scenario, seed })).violation?.text ?? null;
}

describe('a replicated node', () => {
  it('sends its stream what that lacks when it starts again, before anything follows from it', async () => {
    const found = await violationIn(null, {
      steps: [pay(0, 1, 10, 2), paid(0, 1, 14)],
      faults: [fault('stream_away', 2, 3), fault('kill', 3, 3), fault('takeover', 10, 1)],
      busy: 18,
    });
    expect(found).toBeNull();
  });

  it('speaks as soon as it has taken over, although the other process listens on', async () => {
    const found = await violationIn(5, {
      steps: [paid(0, 1, 6), paid(1, 0, 7)],
      faults: [fault('stream_away', 2, 8)],
      busy: 14,
    });
    expect(found).toBeNull();
  });

  it('stops when it wakes up after another one has taken over', async () => {
    const found = await violationIn(5, {
      steps: [paid(0, 1, 1), paid(1, 0, 6), paid(0, 1, 7), paid(0, 1, 14)],
      faults: [fault('pause', 2, 8)],
      busy: 18,
    });
    expect(found).toBeNull();
  });

  it('adds nothing to its stream behind the record of the one that takes over', async () => {
    const found: (string | null)[] = [];
    for (let seed = 1; seed <= 5; seed++)
      found.push(
        await violationIn(
          null,
          {
            steps: [2, 3, 4, 5, 6].flatMap((block) => [pay(0, 1, 10, block), pay(1, 0, 5, block)]),
            faults: [2, 3, 4, 5, 6].map((block) => fault('takeover', block, 1)),
            busy: 10,
          },
          seed,
        ),
      );
    expect(found.filter((one) => one !== null)).toEqual([]);
  });

  it('may pay twice for what protects money when its stream never got that it was sent', async () => {
    const found = await violationIn(5, {
      steps: [paid(1, 0, 1), close(1, 0, 4)],
      faults: [fault('stream_away', 5, 3)],
      busy: 14,
      ...TIME_TO_SETTLE,
    });
    expect(found).toBeNull();
  });

  it('goes back to where the chain has forked, whichever of its machines works', async () => {
    const found = await violationIn(5, {
      steps: [paid(0, 1, 1), pay(1, 0, 5, 8)],
      faults: [
        fault('takeover', 3, 1),
        { kind: 'reorganisation', depth: 3, when: { at_block: 9, blocks: 1 } },
      ],
      busy: 12,
      ...TIME_TO_SETTLE,
    });
    expect(found).toBeNull();
  });

  it('goes on from its stream when its machine is lost, more than once', async () => {
    const found = await violationIn(5, {
      steps: [1, 6, 12, 18].flatMap((block) => [paid(0, 1, block), paid(1, 0, block)]),
      faults: [3, 9, 15].map((block) => fault('machine_lost', block, 4)),
      busy: 22,
    });
    expect(found).toBeNull();
  });
});
