/** What a keeper does next and at which block, read from its state. */
import type { KeeperContext } from '../../../machines/keeper/context.ts';
import type { Plan } from './payment-plans.ts';

/** Null once the keeper's lock is gone. */
export function keeperPlan(
  state: string,
  { expiration, wakeBlock: actionBlock, isUnexplained }: KeeperContext,
): Plan | null {
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
      return {
        action:
          actionBlock === null
            ? `Registers the secret on chain now; it has to be mined before #${expiration}.`
            : `Registers the secret on chain once more at #${actionBlock}.`,
        actionBlock,
      };
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
