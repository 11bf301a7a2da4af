/** Which actor looks after a lock, and whether its secret may still have to be registered: state by state. */
import { describe, expect, it } from 'vitest';
import {
  keeperRegistration,
  looksForHop,
  mediatorRegistration,
  type Registration,
  signsForLocks,
  targetRegistration,
} from '../../../machines/answering.ts';
import { keeperMachine } from '../../../machines/keeper/chart.ts';
import { mediatorMachine } from '../../../machines/mediator/chart.ts';
import { targetMachine } from '../../../machines/target/chart.ts';

/** The states of a chart for each thing that is said of them. */
function sorted(states: readonly string[], say: (state: string) => Registration) {
  const those = (registration: Registration) =>
    states.filter((state) => say(state) === registration);
  return { ahead: those('ahead'), behind: those('behind'), over: those(null) };
}

describe('a channel', () => {
  it.each([
    ['opened.deposit.idle', true],
    ['closing.sound', true],
    ['closing.stale', false],
    ['stale', false],
    ['closed', false],
  ])('in %s signs for its own locks: %s', (state, signs) => {
    expect(signsForLocks(state)).toBe(signs);
  });
});

describe('a secret may still have to be registered', () => {
  it('by a target until that is done, or too late', () => {
    expect(sorted(Object.keys(targetMachine.states), targetRegistration)).toEqual({
      ahead: ['requesting', 'revealed', 'closed', 'registering'],
      behind: ['received', 'registered', 'expiring'],
      over: ['paid', 'lost'],
    });
  });

  it('by a mediator until that is done, or too late, whatever became of the payee', () => {
    const { states: unpaid } = mediatorMachine.getStateNodeById('mediator.payer.unpaid');
    const of = (...words: string[]) => words.map((word) => `payer.unpaid.${word} payee.pending`);
    const states = of(...Object.keys(unpaid));
    expect(sorted([...states, 'payer.paid payee.pending'], mediatorRegistration)).toEqual({
      ahead: of('pending', 'revealed', 'closed', 'registering'),
      behind: of('registered', 'expiring'),
      over: ['payer.paid payee.pending'],
    });
  });

  it('by a keeper only when nobody can explain its lock, or when that has begun', () => {
    const states = Object.keys(keeperMachine.states);
    expect(sorted(states, (state) => keeperRegistration(state, true))).toEqual({
      ahead: ['holding', 'registering'],
      behind: ['found', 'owing', 'registered', 'late'],
      over: ['over'],
    });
    expect(sorted(states, (state) => keeperRegistration(state, false)).ahead).toEqual([
      'registering',
    ]);
  });
});

it('a mediator looks for a next hop only while it has none', () => {
  const { states } = mediatorMachine.getStateNodeById('mediator.payee');
  const looking = Object.keys(states).filter((word) =>
    looksForHop(`payer.unpaid.pending payee.${word}`),
  );
  expect(looking).toEqual(['waiting']);
});
