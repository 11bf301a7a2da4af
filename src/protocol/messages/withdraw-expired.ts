/** A withdrawal cannot be made any more: what was reserved for it is free again. */
import { withdraw } from './common.ts';
import { fields, type ValueOf } from './fields.ts';
import { literal } from './kinds.ts';

export const withdrawExpired = fields({ type: literal('WithdrawExpired'), ...withdraw });
export type WithdrawExpired = ValueOf<typeof withdrawExpired>;
