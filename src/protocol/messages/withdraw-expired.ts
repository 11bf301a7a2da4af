/** A withdrawal cannot be made any more: what was reserved for it is free again. */
import type { PlainDefinition } from './definition.ts';
import { readWithdraw, type WithdrawFields, writeWithdraw } from './fields.ts';

export type WithdrawExpired = WithdrawFields & { type: 'WithdrawExpired' };

export const withdrawExpired: PlainDefinition<WithdrawExpired> = {
  read: (reading) => ({ type: 'WithdrawExpired', ...readWithdraw(reading) }),
  write: writeWithdraw,
  signed: null,
};
