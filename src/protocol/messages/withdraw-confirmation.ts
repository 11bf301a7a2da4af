/** Consents to a withdrawal; signed as the contract will read it. */
import type { WithdrawDefinition } from './definition.ts';
import { readWithdraw, type WithdrawFields, writeWithdraw } from './fields.ts';

export type WithdrawConfirmation = WithdrawFields & { type: 'WithdrawConfirmation' };

export const withdrawConfirmation: WithdrawDefinition<WithdrawConfirmation> = {
  read: (reading) => ({ type: 'WithdrawConfirmation', ...readWithdraw(reading) }),
  write: writeWithdraw,
  signed: 'withdraw',
};
