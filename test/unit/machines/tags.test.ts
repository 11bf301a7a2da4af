/** What each chart says of its states to others, tag by tag. */
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import { channelMachine } from '../../../machines/channel/chart.ts';
import { initiatorMachine } from '../../../machines/initiator/chart.ts';
import { keeperMachine } from '../../../machines/keeper/chart.ts';
import { mediatorMachine } from '../../../machines/mediator/chart.ts';
import { nodeMachine } from '../../../machines/node/chart.ts';
import {
  channelTags,
  initiatorTags,
  keeperMayRegister,
  keeperTags,
  mediatorTags,
  nodeTags,
  targetTags,
  withdrawalTags,
} from '../../../machines/tags.ts';
import { targetMachine } from '../../../machines/target/chart.ts';
import { withdrawalMachine } from '../../../machines/user-deposit/withdrawal/chart.ts';

type Said = { has(tag: string): boolean };

/** The words of the values for which the state has the tag. */
const having = (
  values: Record<string, StateValue>,
  tags: (value: StateValue) => Said,
  tag: string,
) => Object.keys(values).filter((word) => tags(values[word] ?? '').has(tag));

/** The outer states of a chart, each as its own value. */
const statesOf = ({ states }: AnyStateMachine) =>
  Object.fromEntries(Object.keys(states).map((name) => [name, name]));

/** All tags that a chart gives. */
function tagsIn(machine: AnyStateMachine): string[] {
  const below = (node: AnyStateNode): string[] => [
    ...node.tags,
    ...Object.values(node.states).flatMap(below),
  ];
  return [...new Set(below(machine.root))].toSorted();
}

const channel = {
  ...statesOf(channelMachine),
  closing: { closing: 'sound' },
  'closing, old copy': { closing: 'stale' },
};
const unclosed = ['opened', 'stale', 'closing', 'closing, old copy'];
const opened: StateValue = {
  opened: { deposit: 'depositing', withdraw: { pending: 'withdrawing' } },
};

describe('a channel', () => {
  const sides = {
    takesLocks: ['opened'],
    signsForLocks: ['opened', 'closing'],
    isFrozen: ['stale'],
    isUnclosed: unclosed,
    takesProofs: [...unclosed, 'closed'],
    bringsProof: ['closed'],
    isUnsettled: [...unclosed, 'closed', 'settling'],
    holdsMoney: [...unclosed, 'closed', 'settling', 'claiming'],
  };

  it.each(Object.entries(sides))('%s in %s', (tag, states) => {
    expect(having(channel, channelTags, tag).toSorted()).toEqual(states.toSorted());
  });

  it('has no other tags', () => {
    expect(Object.keys(sides).toSorted()).toEqual(tagsIn(channelMachine));
  });

  it('is open whatever becomes of a deposit and a withdrawal', () => {
    expect(channelTags(opened).has('takesLocks')).toBe(true);
    expect(channelTags(opened)).not.toBe(channelTags('stale'));
  });

  it('has the same tags for the same state each time, as few objects', () => {
    expect(channelTags(structuredClone(opened))).toBe(channelTags(opened));
  });

  it('is in no state that its chart does not have', () => {
    for (const value of ['open', 'constructor', { closing: 'opened' }, { opened: { x: 'idle' } }])
      expect(() => channelTags(value)).toThrow();
  });
});

describe('a secret may still have to be registered', () => {
  const ahead = ['requesting', 'revealed', 'closed', 'registering'];

  it('by a target until that is done, or too late', () => {
    const states = statesOf(targetMachine);
    expect(having(states, targetTags, 'mayRegister')).toEqual(ahead);
    expect(having(states, targetTags, 'answersForPayer')).toEqual([
      'received',
      ...ahead,
      'registered',
      'expiring',
    ]);
  });

  it('by a mediator until that is done, or too late, whatever became of the payee', () => {
    const unpaid = Object.keys(mediatorMachine.getStateNodeById('mediator.payer.unpaid').states);
    for (const payee of Object.keys(mediatorMachine.getStateNodeById('mediator.payee').states)) {
      const states = Object.fromEntries([
        ...unpaid.map((word) => [word, { payer: { unpaid: word }, payee }]),
        ['paid', { payer: 'paid', payee }],
        ['lost', { payer: 'lost', payee }],
      ]);
      expect(having(states, mediatorTags, 'answersForPayer')).toEqual(unpaid);
      expect(having(states, mediatorTags, 'mayRegister')).toEqual(['pending', ...ahead.slice(1)]);
    }
  });

  it('by a keeper only when nobody can explain its lock, or when that has begun', () => {
    const states = Object.keys(keeperMachine.states);
    const registering = (isUnexplained: boolean) =>
      states.filter((state) => keeperMayRegister(state, { isUnexplained }));
    expect(registering(true)).toEqual(['holding', 'registering']);
    expect(registering(false)).toEqual(['registering']);
    expect(states.filter((state) => !keeperTags(state).has('keepsLock'))).toEqual(['over']);
  });

  it.each([
    ['awaitsSecret', ['requesting'], ['pending']],
    ['awaitsUnlock', ['revealed'], ['revealed']],
    ['claimsAtOnce', ['closed'], ['closed']],
    ['isRegistering', ['registering'], ['registering']],
    ['isRegistered', ['registered'], ['registered']],
    ['isTooLate', ['expiring'], ['expiring']],
  ])('%s in %s of a target, in %s of a mediator', (tag, ofTarget, ofMediator) => {
    const { states } = mediatorMachine.getStateNodeById('mediator.payer.unpaid');
    const unpaid = Object.fromEntries(
      Object.keys(states).map((word) => [word, { payer: { unpaid: word }, payee: 'expired' }]),
    );
    expect(having(statesOf(targetMachine), targetTags, tag)).toEqual(ofTarget);
    expect(having(unpaid, mediatorTags, tag)).toEqual(ofMediator);
  });
});

it.each([
  ['looksForHop', ['waiting']],
  ['answersForPayee', ['pending', 'disputed']],
  ['takesBack', ['pending']],
])('a mediator %s in %s, whatever became of the payer', (tag, expected) => {
  const { states } = mediatorMachine.getStateNodeById('mediator.payee');
  for (const payer of ['paid', 'lost', { unpaid: 'pending' }]) {
    const values = Object.fromEntries(
      Object.keys(states).map((payee) => [payee, { payer, payee }]),
    );
    expect(having(values, mediatorTags, tag)).toEqual(expected);
  }
});

it('the other charts say little of themselves', () => {
  expect(having(statesOf(nodeMachine), nodeTags, 'isServing')).toEqual(['ready']);
  expect(having(statesOf(initiatorMachine), initiatorTags, 'answersNobody')).toEqual(['abandoned']);
  expect(having(statesOf(withdrawalMachine), withdrawalTags, 'canBeTakenOut')).toEqual(['planned']);
  expect(having(statesOf(keeperMachine), keeperTags, 'isRegistered')).toEqual(['registered']);
});
