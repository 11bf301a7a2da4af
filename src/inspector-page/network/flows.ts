/** The messages of payments that nodes send each other, for dots that move through the drawing. */
import type { StepRecords } from '../../inspector/wire.ts';
import { bigintAt, textAt } from '../fields.ts';

/** `kind`: a new lock, its unlock, its expiry, or a request for a secret or its reveal. */
export type Flow = {
  id: string;
  from: string;
  /** Address of the receiver. */
  to: string;
  kind: 'lock' | 'unlock' | 'expired' | 'secret';
  amount: bigint | null;
};

const KINDS: Record<string, Flow['kind']> = {
  LockedTransfer: 'lock',
  RefundTransfer: 'lock',
  Unlock: 'unlock',
  LockExpired: 'expired',
  SecretRequest: 'secret',
  RevealSecret: 'secret',
};

/** `node`: the name of the node that made the step. */
export function flowsOf(node: string, step: StepRecords): Flow[] {
  return step.flatMap((record) => {
    if (record.kind !== 'effect') return [];
    const kind = KINDS[textAt(record.effect, 'message', 'type') ?? ''];
    const to = textAt(record.effect, 'to');
    if (kind === undefined || to === null) return [];
    const amount =
      bigintAt(record.effect, 'message', 'lock', 'amount') ??
      bigintAt(record.effect, 'message', 'amount');
    return [{ id: `${node}/${record.seq}.${record.part}`, from: node, to, kind, amount }];
  });
}
