/** The user deposit and its withdrawals, with what they are told. */

import { initialTransition } from 'xstate';
import { USER_DEPOSIT, withdrawalActorId } from '../../machines/base/actor-ids.ts';
import type { WithdrawalInput } from '../../machines/base/inputs.ts';
import type { UserDepositFacts, UserDepositOrder } from '../../machines/events/commands.ts';
import { userDepositMachine } from '../../machines/user-deposit/chart.ts';
import { withdrawalMachine } from '../../machines/user-deposit/withdrawal/chart.ts';
import { NETWORK, NOW, stamped, TOKEN } from './makers.ts';
import { effectsIn, type Played, played } from './played.ts';

export type PlayedUserDeposit = Played<typeof userDepositMachine>;
export type PlayedWithdrawal = Played<typeof withdrawalMachine>;

export const CONTRACT = NETWORK;
export const DELAY = 100n;

/** A deposit of 60 in all, of which 50 are left, and 40 more at hand. Nothing is planned. */
export const factsOf = (parts: Partial<UserDepositFacts> = {}): UserDepositFacts => ({
  contract: CONTRACT,
  token: TOKEN,
  block: NOW,
  balance: 50n,
  totalDeposit: 60n,
  planned: 0n,
  withdrawBlock: 0n,
  effectiveBalance: 50n,
  room: 30n,
  withdrawDelay: DELAY,
  ownTokens: 40n,
  ...parts,
});

/** An order, asked for under its kind unless another name is given. */
export function ordered(
  kind: UserDepositOrder['kind'],
  amount: bigint,
  parts: Partial<UserDepositFacts> & { requestId?: string } = {},
) {
  const { requestId = kind, ...facts } = parts;
  const order = { kind, amount };
  return stamped({ type: 'cmd.userDeposit', requestId, order, facts: factsOf(facts) } as const);
}

/** A user deposit that nobody has used yet. */
export function userDeposit(): PlayedUserDeposit {
  const [snapshot, actions] = initialTransition(userDepositMachine, { id: USER_DEPOSIT });
  return played(userDepositMachine, snapshot, effectsIn(actions));
}

/** A withdrawal of 20 that has just asked for its plan. */
export function withdrawal(parts: Partial<WithdrawalInput> = {}): PlayedWithdrawal {
  const plan = { contract: CONTRACT, amount: 20n, withdrawDelay: DELAY, withdrawBlock: null };
  const input = { id: withdrawalActorId(1), ...plan, requestId: 'plan', ...parts };
  const [snapshot, actions] = initialTransition(withdrawalMachine, input);
  return played(withdrawalMachine, snapshot, effectsIn(actions));
}

/** What a user deposit is told by a withdrawal. `minedBlock`: null when the transaction failed. */
export const fromWithdrawal = {
  planEnded: (n: number, amount: bigint, minedBlock: bigint | null = NOW) =>
    stamped({
      type: 'actor.planEnded',
      withdrawal: withdrawalActorId(n),
      plan: minedBlock === null ? null : planAt(amount, minedBlock),
    } as const),
  ended: (minedBlock: bigint | null = NOW) =>
    stamped({ type: 'actor.withdrawalEnded', minedBlock } as const),
};

const planAt = (amount: bigint, minedBlock: bigint) => ({
  amount,
  withdrawBlock: minedBlock + DELAY,
  minedBlock,
});

/** What a withdrawal is told. */
export const forWithdrawal = {
  takeOut: (amount: bigint, requestId = 'withdraw') =>
    stamped({ type: 'actor.takeOut', amount, requestId } as const),
  replaced: stamped({ type: 'actor.planReplaced' } as const),
};
