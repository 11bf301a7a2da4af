/** Puts another number into a message, which stays well-formed. */
import { MAX_UINT64 } from '../../basics/amount.ts';
import type { Lock } from '../../protocol/channel/lock.ts';
import type { Message } from '../../protocol/messages/table.ts';
import type { Change } from '../scenario/schema/moves.ts';
import { numberFor } from './moves.ts';

/** These identifiers have 64 bits in a message, all other numbers 256. */
const SHORT = new Set(['messageId', 'paymentId']);

/** The changed message; unchanged when it has no such field. */
export function changed(message: Message, { field, value }: Change, head: bigint): Message {
  const limit = (number: bigint) => (SHORT.has(field) ? number & MAX_UINT64 : number);
  if (field === 'lock.amount' || field === 'lock.expiration') {
    if (!('lock' in message)) return message;
    const lock: Lock = { ...message.lock };
    const part = field === 'lock.amount' ? 'amount' : 'expiration';
    lock[part] = numberFor(value, lock[part], head);
    return { ...message, lock };
  }
  const before: unknown = Object.getOwnPropertyDescriptor(message, field)?.value;
  if (typeof before !== 'bigint') return message;
  return { ...message, [field]: limit(numberFor(value, before, head)) };
}
