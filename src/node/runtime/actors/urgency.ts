/** Which actors have a transaction to send that must be mined in time. */
import {
  channelTags,
  keeperMayRegister,
  mediatorTags,
  targetTags,
} from '../../../../machines/tags.ts';
import type { StoredState } from './kinds.ts';

/**
 * Whether the actor, when it wakes up, has to bring a secret or a balance proof on chain before others take what is
 * this node's. All others lose nothing by waking a little later.
 */
export function isDeadlineNear({ kind, value, context }: StoredState): boolean {
  switch (kind) {
    case 'channel':
      return channelTags(value).has('bringsProof');
    case 'mediator':
      return context.secret !== null && mediatorTags(value).has('mayRegister');
    case 'target':
      return context.secret !== null && targetTags(value).has('mayRegister');
    case 'keeper':
      return context.secret !== null && keeperMayRegister(value, context);
    default:
      return false;
  }
}
