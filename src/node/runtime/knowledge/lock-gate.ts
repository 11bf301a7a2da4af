/**
 * Whether this node gives or takes a lock now, by rules over the node as a whole (the chain, the account's gas money,
 * what is pending in all channels). A channel has further rules of its own.
 *
 * A lock that this node would give is judged when it is asked for; the refusal is added to the event, where the journal
 * keeps it. One of a partner is judged when the channel has taken it, before its payment begins: of several in one Update
 * each is judged after those before it. So the rules see all changes of the same batch.
 */
import type { AddLock, ForwardLock } from '../../../../machines/events/notices.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Lock } from '../../../protocol/channel/lock.ts';
import type { Code } from '../../../protocol/codes.ts';
import type { Delivery } from '../commits/delivery.ts';

/** `channel`: the channel actor that gives the lock, or that got it. */
export type LockQuestion = { channel: string } & (
  | /** For a payment of this node. */ { kind: 'own' }
  | /** For somebody else's. */ { kind: 'forward'; asked: Pick<ForwardLock, 'payer' | 'amountIn'> }
  | /** A partner's lock for this node. */ { kind: 'receive'; partner: Address; lock: Lock }
);
/** Why the lock is refused, or null. Reads memory only, because it is called within the turn. */
export type LockRule = (asked: LockQuestion) => Code | null;

const questionOf = (channel: string, event: AddLock | ForwardLock): LockQuestion =>
  event.type === 'actor.addLock'
    ? { kind: 'own', channel }
    : { kind: 'forward', channel, asked: event };

export function createLockGate(rules: readonly LockRule[]) {
  function judge(asked: LockQuestion): Code | null {
    for (const rule of rules) {
      const refusal = rule(asked);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  return {
    /** The event to deliver: if it asks for a lock, with the first rule's refusal added. */
    judged({ to, event }: Delivery): Delivery['event'] {
      if (event.type !== 'actor.addLock' && event.type !== 'actor.forwardLock') return event;
      const refusal = judge(questionOf(to, event));
      return refusal === null ? event : { ...event, refusal };
    },
    /** Whether this node takes a partner's lock. */
    takesLock: (channel: string, { partner, lock }: { partner: Address; lock: Lock }): boolean =>
      judge({ kind: 'receive', channel, partner, lock }) === null,
  };
}
