/**
 * Whether this node gives or takes a lock now, by rules over the node as a whole (the chain, the account's gas money,
 * what is pending in all channels). A channel has further rules of its own.
 *
 * A lock is judged when its event is delivered, so that the rules see the changes of the same batch; the refusal is
 * added to the event, where the journal keeps it.
 */
import type { ActorEvent } from '../../../../machines/events.ts';
import type { Code } from '../../../protocol/codes.ts';
import type { Delivery } from '../commits/delivery.ts';

/** `own`: for a payment of this node; `forward`: for somebody else's; `receive`: a partner's lock for this node. */
export type LockQuestion = {
  kind: 'own' | 'forward' | 'receive';
  /** The channel actor that gives the lock, or that got it. */
  channel: string;
  delivery: Delivery;
};
/** Why the lock is refused, or null. Reads memory only, because it is called within the turn. */
export type LockRule = (asked: LockQuestion) => Code | null;

/** The events that ask for a lock, or bring one. */
type Judged = Extract<ActorEvent, { type: keyof typeof KINDS }>;

const KINDS = {
  'actor.addLock': 'own',
  'actor.forwardLock': 'forward',
  'msg.lockedTransfer': 'receive',
} as const satisfies Partial<Record<ActorEvent['type'], LockQuestion['kind']>>;

const isJudged = (event: ActorEvent): event is Judged => event.type in KINDS;

/** The event to deliver: if it asks for a lock or brings one, with the first rule's refusal added. */
export function createLockGate(rules: readonly LockRule[]) {
  return (delivery: Delivery): Delivery['event'] => {
    const { to: channel, event } = delivery;
    if (!isJudged(event)) return event;
    const kind = KINDS[event.type];
    for (const rule of rules) {
      const refusal = rule({ kind, channel, delivery });
      if (refusal !== null) return { ...event, refusal };
    }
    return event;
  };
}
