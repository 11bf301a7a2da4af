/** The record of a mediation, once both sides are paid. */
import type { MediatorContext } from './context.ts';
import type { MediatorStep } from './wake.ts';

/** One side was paid. When both are, the fee that this node keeps is recorded. */
export function notePaid(mediator: MediatorContext, side: 'isPaidIn' | 'isPaidOut'): MediatorStep {
  const paid = { ...mediator, [side]: true };
  const { token, tokenNetwork, secrethash, amount, payee, isPaidIn, isPaidOut } = paid;
  if (!isPaidIn || !isPaidOut || payee === null) return { patch: { [side]: true }, effects: [] };
  const fee = amount - payee.amount;
  return {
    patch: { [side]: true },
    effects: [{ type: 'record.mediated', token, tokenNetwork, secrethash, fee }],
  };
}
