/** Moves of a cheat with its own payments: what its partners make of them, and that they lose nothing by it. */
import { describe, expect, it } from 'vitest';
import { WRONG_SEALS } from '../../src/simulation/scenario/schema/moves.ts';
import { cheat, eventsOf, pay, smallScenario, type Tree } from './small-scenarios.ts';

/** Node 0 pays node 2 twice over node 1, and makes the move with the second payment: before the first it knows no key to seal for. */
async function withMove(move: Tree) {
  const steps = [pay(0, 2, 10, 1), pay(0, 2, 10, 5)];
  const attacks = [cheat('moves', 0, { moves: [{ ...move, skip: 1 }] })];
  const scenario = smallScenario('small', 'a move', { steps, attacks, busy: 10 });
  const { events, result } = await eventsOf(scenario, 1);
  const made = events.filter(({ who }) => who.startsWith('moves')).map(({ what }) => what);
  expect([result.verdict, result.violation]).toEqual(['passed', null]);
  const [before, now] = result.nodes.filter(({ index }) => index !== 1);
  const questions = (result.messagesByType['SecretRequest'] ?? 0) - 1;
  return { made, questions, arrived: now?.received, sent: before?.sent };
}

describe('a payer', () => {
  it.each(WRONG_SEALS)(
    'that seals "%s" is asked for the secret, unless its payee has it',
    async (what) => {
      const told = await withMove({ do: 'seal', what });
      const questions = what === 'less' ? 0 : 1;
      expect(told).toEqual({ made: ['lock: seal'], questions, arrived: 2, sent: 2 });
    },
  );

  it('that shortens a lock pays only who has time to claim it', async () => {
    const lock = { do: 'change', type: 'lock', field: 'lock.expiration', is_hidden: true };
    const by = (blocks: number) => ({ ...lock, value: { kind: 'shifted', by: -blocks } });
    expect((await withMove(by(1))).arrived).toBe(2);
    expect((await withMove(by(12))).arrived).toBe(1);
  });
});
