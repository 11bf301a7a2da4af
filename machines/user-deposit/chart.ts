/**
 * The user deposit of this account, one operation at a time: pay in, plan a withdrawal, withdraw.
 *
 * Each command brings what the contract holds, read just before: other programs may use the contract too, and a plan
 * may be older than this database. Each plan is an actor of its own. Protocol 5.6.
 */
import { setup } from 'xstate';
import type { UserDepositInput } from '../base/inputs.ts';
import type { Effect } from '../effects.ts';
import type { Stamped } from '../events/stamps.ts';
import { newUserDeposit, type UserDepositContext, type UserDepositEvent } from './context.ts';
import * as deposit from './deposit.ts';

export const userDepositMachine = setup({
  types: {
    context: {} as UserDepositContext,
    events: {} as Stamped<UserDepositEvent>,
    emitted: {} as Effect,
    input: {} as UserDepositInput,
  },
  guards: deposit.guards,
  actions: deposit.actions,
}).createMachine({
  id: 'userDeposit',
  description: 'The user deposit of this account, one operation at a time.',
  context: ({ input }) => newUserDeposit(input),
  initial: 'idle',
  on: { 'cmd.*': { actions: { type: 'refuse', params: { code: 'busy' } } } },
  states: {
    idle: {
      description: 'Nothing is on its way.',
      on: {
        'cmd.userDeposit': [
          { guard: 'isRefused', actions: ['notePlan', 'refuse'] },
          {
            guard: { type: 'isTo', params: { kind: 'deposit' } },
            target: 'depositing',
            actions: ['notePlan', 'payIn'],
          },
          {
            guard: { type: 'isTo', params: { kind: 'plan' } },
            target: 'planning',
            actions: ['notePlan', 'plan'],
          },
          { target: 'withdrawing', actions: ['notePlan', 'withdraw'] },
        ],
      },
    },
    depositing: {
      description: 'A deposit transaction is on its way.',
      on: { 'chain.tx': { target: 'idle', actions: 'endDeposit' } },
    },
    planning: {
      description: 'A withdrawal is being planned on chain.',
      on: { 'actor.planEnded': { target: 'idle', actions: 'endPlan' } },
    },
    withdrawing: {
      description: 'A planned withdrawal is being taken out.',
      on: { 'actor.withdrawalEnded': { target: 'idle', actions: 'endWithdrawal' } },
    },
  },
});
