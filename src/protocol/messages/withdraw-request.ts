/** Asks for consent to a withdrawal; signed as the contract will read it. */

import type { WithdrawDefinition } from './definition.ts';
import { readWithdraw, type WithdrawFields, writeWithdraw } from './fields.ts';
import * as read from './message-fields.ts';

export type WithdrawRequest = WithdrawFields & { type: 'WithdrawRequest'; coopSettle: boolean };

export const withdrawRequest: WithdrawDefinition<WithdrawRequest> = {
  read: (reading) => ({
    type: 'WithdrawRequest',
    ...readWithdraw(reading),
    coopSettle: read.optionalFlag(reading, 'coop_settle'),
  }),
  write: (message) => ({ ...writeWithdraw(message), coop_settle: message.coopSettle }),
  signed: 'withdraw',
};
