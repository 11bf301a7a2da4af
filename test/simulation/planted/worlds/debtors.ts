/** Worlds in which somebody wants more of a node that it has not paid yet. */
import { type Part, pay, TIME_TO_SETTLE } from '../../small-scenarios.ts';
import { moves } from './cheating.ts';

export const DEBTOR_WORLDS: Readonly<Record<string, Part>> = {
  // The mediator turns to the chain ten blocks before the lock ends, which is about block 11.
  'a payer withholds unlocks, and pays on': {
    steps: [pay(0, 2, 100), pay(0, 2, 100, 15)],
    attacks: [moves(0, { do: 'drop', type: 'unlock', times: 1_000 })],
    ...{ busy: 18, ...TIME_TO_SETTLE },
  },
};
