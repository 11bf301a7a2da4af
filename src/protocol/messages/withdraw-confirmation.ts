/** Consents to a withdrawal; signed as the contract will read it. */
import { withdraw } from './common.ts';
import { fields, type ValueOf } from './fields.ts';
import { literal } from './kinds.ts';

export const withdrawConfirmation = fields({ type: literal('WithdrawConfirmation'), ...withdraw });
export type WithdrawConfirmation = ValueOf<typeof withdrawConfirmation>;
