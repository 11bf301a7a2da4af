/**
 * Two honest nodes in a line, of which the first has the longer reveal timeout, and people at both ends who show their
 * secrets between the blocks at which the two begin to doubt: the second has to register them, and the first cannot help it.
 */
import { expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { pay, smallScenario } from './small-scenarios.ts';

const [PAYER, LONG, SHORT, PAYEE] = [0, 1, 2, 3];
const CYCLE = 60;
/** Together more than a partner may force on a node. */
const [ROUNDS, LOCKS] = [5, 70];
const LOCK_TIMEOUT = 50;
/** Within the reveal timeout of the first, and before that of the second. */
const HELD = 33;

/** `target`: whom the payer pays; `holder`: who shows the secrets late. */
const scenarioOf = (target: number, holder: number) =>
  smallScenario('late', 'Secrets are shown late.', {
    nodes: 4,
    capacity: '100000',
    defaults: { reveal_timeout: 10, settle_timeout: 60 },
    settings: [{ nodes: String(LONG), reveal_timeout: 20 }],
    steps: [
      ...Array.from({ length: ROUNDS * LOCKS }, (_, n) => ({
        ...pay(PAYER, target, 1, 10 + Math.floor(n / LOCKS) * CYCLE),
        lock_timeout: LOCK_TIMEOUT,
      })),
      { ...pay(LONG, SHORT, 5, 10 + ROUNDS * CYCLE), expect: 'success' as const },
    ],
    attacks: [
      {
        plan: 'moves',
        nodes: String(holder),
        moves: [{ do: 'hold', type: 'RevealSecret', blocks: HELD, times: 100_000 }],
      },
    ],
    busy: 10 + ROUNDS * CYCLE,
    calm: 160,
  });

it.each([
  ['a payee shows its secrets late', PAYEE, PAYEE],
  ['an initiator shows the second its secrets late', SHORT, PAYER],
])(
  'one honest node is not cut off from another when %s',
  async (_, target, holder) => {
    const { violation } = await simulate({ seed: 1, scenario: scenarioOf(target, holder) });
    expect(violation).toBeNull();
  },
  170_000,
);
