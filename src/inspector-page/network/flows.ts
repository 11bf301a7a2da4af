/** The messages of payments that nodes send each other, for dots that move through the drawing. */
import type { StepRecords } from '../../inspector/wire.ts';
import { changesIn, fieldOf, textAt } from '../base/fields.ts';

/** `kind`: a new lock, its unlock, its expiry, or a request for a secret or its reveal. */
export type MessageFlow = {
  id: string;
  from: string;
  /** Address of the receiver. */
  to: string;
  kind: 'lock' | 'unlock' | 'expired' | 'secret';
};

/** By the type of a message, or of a change in an Update. */
const KINDS: Record<string, MessageFlow['kind']> = {
  lock: 'lock',
  refund: 'lock',
  unlock: 'unlock',
  expired: 'expired',
  SecretRequest: 'secret',
  RevealSecret: 'secret',
};

/** `node`: the name of the node that made the step. */
export function flowsOf(node: string, step: StepRecords): MessageFlow[] {
  return step.flatMap((record) => {
    if (record.kind !== 'effect') return [];
    const message = fieldOf(record.effect, 'message');
    const to = textAt(record.effect, 'to');
    if (to === null) return [];
    const id = `${node}/${record.seq}.${record.part}`;
    const changes = changesIn(message);
    if (changes.length === 0) return flowOf(message, { id, from: node, to });
    return changes.flatMap((change, place) =>
      flowOf(change, { id: `${id}.${place}`, from: node, to }),
    );
  });
}

function flowOf(body: unknown, of: Pick<MessageFlow, 'id' | 'from' | 'to'>): MessageFlow[] {
  const kind = KINDS[textAt(body, 'type') ?? ''];
  return kind === undefined ? [] : [{ ...of, kind }];
}
