/**
 * One withdrawal from the user deposit: planned on chain, and taken out when the contract's delay has passed. A newer
 * plan overwrites an older one; any withdrawal, even of less than was planned, uses the plan up.
 *
 * The transactions are jobs on disk, so that the withdrawal goes on after a restart. Protocol 5.6.
 */
import { setup } from 'xstate';
import type { WithdrawalInput } from '../../base/inputs.ts';
import type { Effect } from '../../effects.ts';
import type { Stamped } from '../../events/stamps.ts';
import { newWithdrawal, type WithdrawalContext, type WithdrawalEvent } from './context.ts';
import * as transactions from './transactions.ts';

export const withdrawalMachine = setup({
  types: {
    context: {} as WithdrawalContext,
    events: {} as Stamped<WithdrawalEvent>,
    emitted: {} as Effect,
    input: {} as WithdrawalInput & { id: string },
    tags: {} as 'canBeTakenOut',
  },
  guards: transactions.guards,
  actions: transactions.actions,
}).createMachine({
  id: 'withdrawal',
  description: 'One withdrawal from the user deposit: planned, then taken out.',
  context: ({ input }) => newWithdrawal(input),
  initial: 'appearing',
  states: {
    appearing: {
      description: 'Whether it stands in the contract already is looked at once.',
      always: [
        { guard: 'isPlanned', target: 'planned' },
        { target: 'planning', actions: 'submitPlan' },
      ],
    },
    planning: {
      description: 'The transaction that plans it is on its way.',
      on: {
        'chain.tx': [
          { guard: 'isFailed', target: 'failed', actions: 'endPlan' },
          { target: 'planned', actions: 'endPlan' },
        ],
      },
    },
    planned: {
      tags: ['canBeTakenOut'],
      description: 'It stands in the contract; after the delay it can be taken out.',
      on: {
        'actor.takeOut': { target: 'withdrawing', actions: 'submitWithdrawal' },
        'actor.planReplaced': { target: 'replaced' },
      },
    },
    withdrawing: {
      description: 'The transaction that takes it out is on its way.',
      on: {
        'chain.tx': [
          // The contract still holds the plan: the withdrawal can be tried again.
          { guard: 'isFailed', target: 'planned', actions: 'endWithdrawal' },
          { target: 'done', actions: 'endWithdrawal' },
        ],
      },
    },
    done: { type: 'final', description: 'It was taken out.' },
    replaced: { type: 'final', description: 'Another plan stands in the contract.' },
    failed: { type: 'final', description: 'It was never planned: the transaction failed.' },
  },
});
