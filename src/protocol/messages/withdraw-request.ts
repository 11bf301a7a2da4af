/** Asks for consent to a withdrawal; signed as the contract will read it. */
import { withdraw } from './common.ts';
import { fields } from './fields.ts';
import { literal, optionalFlag } from './kinds.ts';

export const withdrawRequest = fields({
  type: literal('WithdrawRequest'),
  ...withdraw,
  coopSettle: optionalFlag,
});
