/**
 * What the actors of payments do next and at which block, read from their states. The blocks are those at which the
 * actors wake themselves. Protocol 4.3 to 4.5.
 */

import type { IncomingTag } from '../../../machines/base/registering.ts';
import type { InitiatorContext } from '../../../machines/initiator/context.ts';
import { hasNextAttempt } from '../../../machines/initiator/outcome.ts';
import { mediatorTags, type Tags, targetTags } from '../../../machines/tags.ts';
import type { SeenOf } from '../replay/contexts.ts';
import type { Deadline } from '../wire.ts';

export type LockPlan = Pick<Deadline, 'action' | 'actionBlock'>;

/** What the target plans for the lock that its partner signed; null once the lock is resolved. */
export function targetPlan({ value, context }: SeenOf<'target'>): LockPlan | null {
  return incomingPlan(targetTags(value), context.expiration, context.wakeBlock);
}

/** What a mediator plans for the lock of its payer. */
export function payerPlan({ value, context }: SeenOf<'mediator'>): LockPlan | null {
  return incomingPlan(mediatorTags(value), context.expiration, context.payerBlock);
}

function incomingPlan(
  tags: Tags<IncomingTag>,
  expiration: bigint,
  actionBlock: bigint | null,
): LockPlan | null {
  if (tags.has('awaitsSecret'))
    return {
      action: `Waits for the secret; without it the lock is void at #${expiration}.`,
      actionBlock,
    };
  if (tags.has('awaitsUnlock'))
    return {
      action: `Registers the secret on chain at ${at(actionBlock)}, unless the partner unlocks before.`,
      actionBlock,
    };
  if (tags.has('claimsAtOnce'))
    return {
      action: `Registers the secret on chain as soon as it comes, before #${expiration}.`,
      actionBlock,
    };
  if (tags.has('isRegistering')) return registeringPlan(expiration, actionBlock);
  if (tags.has('isRegistered')) return REGISTERED;
  return tags.has('isTooLate') ? TOO_LATE : null;
}

/** Of whoever brings a secret on chain. */
export function registeringPlan(expiration: bigint, actionBlock: bigint | null): LockPlan {
  const action =
    actionBlock === null
      ? `Registers the secret on chain now; it has to be mined before #${expiration}.`
      : `Registers the secret on chain once more at #${actionBlock}.`;
  return { action, actionBlock };
}

const REGISTERED: LockPlan = {
  action: 'The secret is on chain in time: waits for the unlock, or claims it after the close.',
  actionBlock: null,
};
const TOO_LATE: LockPlan = {
  action: 'Nothing can be claimed any more: waits until the partner takes the lock back.',
  actionBlock: null,
};

/** What a mediator plans for its own lock to the payee; null before there is one and once it is resolved. */
export function payeePlan({ value, context }: SeenOf<'mediator'>): LockPlan | null {
  const { expiration, payeeBlock: actionBlock } = context;
  const tags = mediatorTags(value);
  if (!tags.has('answersForPayee')) return null;
  const action = tags.has('takesBack')
    ? `${TAKES_BACK} at ${at(actionBlock)}, unless the secret comes.`
    : `The payee can claim it on chain before #${expiration}.`;
  return { action, actionBlock };
}

/** What the initiator plans for the lock of its payment. */
export function initiatorPlan({ state, context: payment }: SeenOf<'initiator'>): LockPlan | null {
  const { wakeBlock: actionBlock } = payment;
  const end = `${TAKES_BACK} at ${at(actionBlock)}`;
  switch (state) {
    case 'locked':
      return {
        action: `${end}, unless the target asks for the secret${goesOn(payment)}.`,
        actionBlock,
      };
    case 'offered':
    case 'revealed':
      return { action: `${end}, unless the next node shows the secret.`, actionBlock };
    case 'disputed':
      return {
        action: `The partner can claim it on chain; else the payment fails at ${at(actionBlock)}.`,
        actionBlock,
      };
    case 'abandoned':
      return { action: `${end}; another attempt goes on.`, actionBlock };
    default:
      return null;
  }
}

/** The lock has expired some blocks before that: the node waits until no reorganisation can change the expiration. */
const TAKES_BACK = 'Takes the lock back';
const goesOn = (payment: InitiatorContext) =>
  hasNextAttempt(payment) ? '; then another way is tried' : '';
const at = (block: bigint | null) => (block === null ? 'the next block' : `#${block}`);
