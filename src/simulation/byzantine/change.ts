/** Puts another number into a message, which stays well-formed. */
import { MAX_UINT64 } from '../../basics/amount.ts';
import type { Lock } from '../../protocol/channel/lock.ts';
import type { Change as Part } from '../../protocol/messages/changes.ts';
import type { Message } from '../../protocol/messages/table.ts';
import type { Update } from '../../protocol/messages/update.ts';
import type { Change } from '../scenario/schema/moves.ts';
import { numberFor } from './moves.ts';

/** These identifiers have 64 bits in a message, all other numbers 256. */
const SHORT = new Set(['messageId', 'paymentId']);

/** The changed message; unchanged when it has no such field. Of an Update, the first change with the field has it. */
export function changed(message: Message, change: Change, head: bigint): Message {
  if (message.type !== 'Update' || change.field in message)
    return withNumber(message, change, head);
  const [name = ''] = change.field.split('.');
  const place = message.changes.findIndex((part) => name in part);
  return changedAt(message, place, change, head);
}

/** The Update with another number in its change at this place. */
export function changedAt(message: Update, place: number, change: Change, head: bigint): Update {
  // A number that only the Update has is changed there.
  if (change.field in message) return withNumber(message, change, head);
  const changes = message.changes.map((part, at) =>
    at === place ? withNumber(part, change, head) : part,
  );
  return { ...message, changes };
}

function withNumber<T extends Message | Part>(of: T, { field, value }: Change, head: bigint): T {
  const limit = (number: bigint) => (SHORT.has(field) ? number & MAX_UINT64 : number);
  if (field === 'lock.amount' || field === 'lock.expiration') {
    if (!('lock' in of)) return of;
    const lock: Lock = { ...of.lock };
    const part = field === 'lock.amount' ? 'amount' : 'expiration';
    lock[part] = numberFor(value, lock[part], head);
    return { ...of, lock };
  }
  const before: unknown = Object.getOwnPropertyDescriptor(of, field)?.value;
  if (typeof before !== 'bigint') return of;
  return { ...of, [field]: limit(numberFor(value, before, head)) };
}
