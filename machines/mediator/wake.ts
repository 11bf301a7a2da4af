/** The blocks at which a mediator attends to the payer's side, or to the payee's. */
import type { Step } from '../step.ts';
import type { MediatorContext } from './context.ts';

export type MediatorStep = Step<MediatorContext>;

/** Sets the next block of one side, or none (null), and the earlier of both as the block to wake up at. */
export function woken(
  mediator: MediatorContext,
  blocks: Partial<Pick<MediatorContext, 'payerBlock' | 'payeeBlock'>>,
): MediatorContext {
  const next = { ...mediator, ...blocks };
  const { payerBlock, payeeBlock } = next;
  const isPayerFirst = payeeBlock === null || (payerBlock !== null && payerBlock < payeeBlock);
  return { ...next, wakeBlock: isPayerFirst ? payerBlock : payeeBlock };
}
