/** What is kept when both sides are paid. */
import type { MediatorContext } from './context.ts';
import type { MediatorStep } from './wake.ts';

/** One side was paid; what is kept is known when both are. */
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
