/** Which actors have a transaction to send that must be mined in time. */
import {
  keeperRegistration,
  mediatorRegistration,
  targetRegistration,
} from '../../../../machines/answering.ts';
import { phaseOf } from '../../../../machines/channel/phase.ts';
import { type StoredState, stateText } from './kinds.ts';

/**
 * Whether the actor, when it wakes up, has to bring a secret or a balance proof on chain before others take what is
 * this node's. All others lose nothing by waking a little later.
 */
export function isDeadlineNear({ kind, value, context }: StoredState): boolean {
  switch (kind) {
    case 'channel':
      return phaseOf(stateText(value)) === 'closed';
    case 'mediator':
      return context.secret !== null && mediatorRegistration(stateText(value)) === 'ahead';
    case 'target':
      return context.secret !== null && targetRegistration(stateText(value)) === 'ahead';
    case 'keeper':
      return (
        context.secret !== null &&
        keeperRegistration(stateText(value), context.isUnexplained) === 'ahead'
      );
    default:
      return false;
  }
}
