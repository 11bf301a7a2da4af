/**
 * Whether this node gives or takes a lock now, by rules over the node as a whole (the chain, the account's gas money,
 * what is pending in all channels). A channel has further rules of its own.
 *
 * A lock that this node would give is judged when it is asked for; the refusal is added to the event, where the journal
 * keeps it, and so is what the channel keeps for customers. One of a partner is judged when the channel has taken it,
 * before its payment begins: of several in one Update each is judged after those before it. So the rules see all changes
 * of the same batch.
 */

import type { TargetInput } from '../../../../machines/base/inputs.ts';
import type { JudgeLock } from '../../../../machines/effects.ts';
import type { RevealSecretReceived } from '../../../../machines/events/messages.ts';
import type { AddLock, ForwardLock } from '../../../../machines/events/notices.ts';
import type { Judged, Slots } from '../../../../machines/events/stamps.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Code } from '../../../protocol/codes.ts';
import type { StoredState } from '../actors/kinds.ts';
import type { Delivery } from '../commits/delivery.ts';

/** `channel`: the channel actor that gives the lock, or that got it. */
export type LockQuestion = { channel: string } & (
  | /** For a payment of this node. */ { kind: 'own' }
  | /** For somebody else's. */ { kind: 'forward'; asked: Pick<ForwardLock, 'payer' | 'amountIn'> }
  | /** A partner's lock for this node, or its secret. */ { kind: 'receive'; asked: Received }
);
/** A payment to this node; `secret`: null while it is not known. */
type Received = Pick<
  TargetInput,
  'payer' | 'initiator' | 'amount' | 'expiration' | 'revealTimeout' | 'secret'
>;
/** Why the lock is refused, or null. Reads memory only, because it is called within the turn. */
export type LockRule = (asked: LockQuestion) => Code | null;

const questionOf = (channel: string, event: AddLock | ForwardLock): LockQuestion =>
  event.type === 'actor.addLock'
    ? { kind: 'own', channel }
    : { kind: 'forward', channel, asked: event };

type Protection = {
  /** For the secret of a payment to this node that waits for it. */
  rule: LockRule;
  /** What is kept for customers in an outgoing channel, when this payer asks. */
  slotsOf(payer: Address): Slots;
  ledger: {
    /** Why the channel is not closed now for what its partner owes, or null. */
    claimRefusal(channel: string): Code | null;
  };
};

/** `rules`: for locks that are given or taken. */
export function createLockGate(
  { rule: secretRule, slotsOf, ledger }: Protection,
  stateOf: (actor: string) => StoredState | null,
  rules: readonly LockRule[],
) {
  function judge(asked: LockQuestion): Code | null {
    for (const rule of rules) {
      const refusal = rule(asked);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /** Whether the target may show its secret to its payer: what it may have to claim then is judged at this moment. */
  function judgeSecret(actor: string, { message }: RevealSecretReceived): Code | null {
    const state = stateOf(actor);
    if (state?.kind !== 'target' || state.context.secret !== null) return null;
    const asked = { ...state.context, secret: message.secret };
    return secretRule({ kind: 'receive', channel: asked.channel, asked });
  }

  return {
    /** The event to deliver: if it asks for something that this node weighs, with the reason against it added. */
    judged({ to, event }: Delivery): Delivery['event'] {
      switch (event.type) {
        case 'actor.addLock':
          return withRefusal(event, judge(questionOf(to, event)));
        case 'actor.forwardLock': {
          const served = { ...event, slots: slotsOf(event.payer.partner) };
          return withRefusal(served, judge(questionOf(to, event)));
        }
        case 'msg.revealSecret':
          return withRefusal(event, judgeSecret(to, event));
        case 'chain.block':
          return withRefusal(event, ledger.claimRefusal(to));
        default:
          return event;
      }
    },
    /** Whether this node takes a partner's lock. */
    takesLock: (channel: string, { taken }: Pick<JudgeLock, 'taken'>): boolean =>
      judge({ kind: 'receive', channel, asked: taken.input }) === null,
  };
}

const withRefusal = <E extends Judged>(event: E, refusal: Code | null): E =>
  refusal === null ? event : { ...event, refusal };
