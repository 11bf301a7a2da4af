/**
 * What the actors of payments do next and at which block, read from their states. The blocks are those at which the
 * actors wake themselves. Protocol 4.3 to 4.5.
 */

import type { InitiatorContext } from '../../../machines/initiator/context.ts';
import { hasNextAttempt } from '../../../machines/initiator/outcome.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import type { TargetContext } from '../../../machines/target/context.ts';
import type { Deadline } from '../wire.ts';

export type Plan = Pick<Deadline, 'action' | 'actionBlock'>;

/** What the target plans for the lock that its partner signed; null once the lock is resolved. */
export function targetPlan(state: string, { expiration, wakeBlock }: TargetContext): Plan | null {
  return incomingPlan(state, expiration, wakeBlock);
}

/** What a mediator plans for the lock of its payer. */
export function payerPlan(state: string, mediator: MediatorContext): Plan | null {
  const { expiration, payerBlock } = mediator;
  return incomingPlan(regionOf(state, 'payer').replace('unpaid.', ''), expiration, payerBlock);
}

function incomingPlan(state: string, expiration: bigint, wake: bigint | null): Plan | null {
  switch (state) {
    case 'requesting':
    case 'pending':
      return {
        action: `Waits for the secret; without it the lock is void at #${expiration}.`,
        actionBlock: wake,
      };
    case 'revealed':
      return {
        action: `Registers the secret on chain at ${at(wake)}, unless the partner unlocks before.`,
        actionBlock: wake,
      };
    case 'closed':
      return {
        action: `Registers the secret on chain as soon as it comes, before #${expiration}.`,
        actionBlock: wake,
      };
    case 'registering':
      return {
        action:
          wake === null
            ? `Registers the secret on chain now; it has to be mined before #${expiration}.`
            : `Registers the secret on chain once more at #${wake}.`,
        actionBlock: wake,
      };
    case 'registered':
      return {
        action:
          'The secret is on chain in time: waits for the unlock, or claims it after the close.',
        actionBlock: null,
      };
    case 'expiring':
      return {
        action: 'Nothing can be claimed any more: waits until the partner takes the lock back.',
        actionBlock: null,
      };
    default:
      return null;
  }
}

/** What a mediator plans for its own lock to the payee; null before there is one and once it is resolved. */
export function payeePlan(state: string, mediator: MediatorContext): Plan | null {
  const { expiration, payeeBlock: actionBlock } = mediator;
  switch (regionOf(state, 'payee')) {
    case 'pending':
      return {
        action: `${TAKES_BACK} at ${at(actionBlock)}, unless the secret comes.`,
        actionBlock,
      };
    case 'disputed':
      return { action: `The payee can claim it on chain before #${expiration}.`, actionBlock };
    default:
      return null;
  }
}

/** What the initiator plans for the lock of its payment. */
export function initiatorPlan(state: string, payment: InitiatorContext): Plan | null {
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

/** The state of one region of a parallel machine: `payee` of `payer.paid+payee.pending` is `pending`. */
export function regionOf(state: string, region: string): string {
  const part = state.split('+').find((one) => one.startsWith(`${region}.`));
  return part?.slice(region.length + 1) ?? '';
}
