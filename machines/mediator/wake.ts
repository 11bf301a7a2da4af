/** When a mediator has to look at the payer's side, or at the payee's. */
import type { Step } from '../step.ts';
import type { MediatorContext } from './context.ts';

export type MediatorStep = Step<MediatorContext>;

/** Another time to look at one side, or none. */
export function woken(
  mediator: MediatorContext,
  blocks: Partial<Pick<MediatorContext, 'payerBlock' | 'payeeBlock'>>,
): MediatorContext {
  const next = { ...mediator, ...blocks };
  const { payerBlock, payeeBlock } = next;
  const isPayerFirst = payeeBlock === null || (payerBlock !== null && payerBlock < payeeBlock);
  return { ...next, wakeBlock: isPayerFirst ? payerBlock : payeeBlock };
}
