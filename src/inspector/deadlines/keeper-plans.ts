/** What a keeper does next and at which block, read from its state. */
import type { SeenOf } from '../replay/contexts.ts';
import { type LockPlan, registeringPlan } from './payment-plans.ts';

/** Null once the keeper's lock is gone. */
export function keeperPlan({ state, context }: SeenOf<'keeper'>): LockPlan | null {
  const { expiration, wakeBlock: actionBlock, isUnexplained } = context;
  switch (state) {
    case 'owing':
      return {
        action: `Takes the lock back at #${actionBlock}, unless its secret reaches the chain before #${expiration}.`,
        actionBlock,
      };
    case 'holding':
      return {
        action: isUnexplained
          ? `Its payment is not known: registers the secret on chain as soon as it comes, before #${expiration}.`
          : 'No payment of this node takes it: it is held until the partner takes it back.',
        actionBlock,
      };
    case 'registering':
      return registeringPlan(expiration, actionBlock);
    case 'registered':
      return {
        action: 'The secret is on chain in time: the lock is kept for whoever can claim it.',
        actionBlock,
      };
    case 'late':
      return {
        action: 'Nothing can be claimed any more: waits until the partner takes the lock back.',
        actionBlock,
      };
    default:
      return null;
  }
}
