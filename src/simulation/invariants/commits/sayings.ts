/** Each signed step of a batch is what the same batch has for the partner, and the other way round. */
import * as v from 'valibot';
import type { RecordProof } from '../../../../machines/effects.ts';
import { type Hash, isHexOf } from '../../../basics/hex.ts';
import { secrethashIn } from '../../../protocol/messages/changes.ts';
import type { Batch, OutboxRow } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';

const hash = v.custom<Hash>((given) => isHexOf(given, 32));
const UPDATE = v.looseObject({
  type: v.literal('Update'),
  nonce: v.bigint(),
  transferredAmount: v.bigint(),
  lockedAmount: v.bigint(),
  locksroot: hash,
  changes: v.array(
    v.variant('type', [
      v.looseObject({ type: v.literal('lock'), lock: v.looseObject({ secrethash: hash }) }),
      v.looseObject({ type: v.literal('refund'), lock: v.looseObject({ secrethash: hash }) }),
      v.looseObject({ type: v.literal('unlock'), secret: hash }),
      v.looseObject({ type: v.literal('expired'), secrethash: hash }),
    ]),
  ),
});
const KINDS = { lock: 'add', refund: 'add', unlock: 'pay', expired: 'expire' } as const;

/** What is wrong, for a person; null: nothing. `isOpen`: whether the partner still has to be told of a channel's steps. */
export function wrongSayings(
  { proofs, outbox }: Pick<Batch, 'proofs' | 'outbox'>,
  isOpen: (channel: string) => boolean,
): string | null {
  const own = proofs.filter(({ side }) => side === 'own');
  const rows = outbox.filter(({ queue, nonce }) => queue !== null && nonce !== null);
  const keyOf = (channel: string | null, nonce: bigint | null) => `${channel} ${nonce}`;
  const posted = new Map(rows.map((row) => [keyOf(row.queue, row.nonce), row]));
  for (const proof of own) {
    const { channel, nonce } = proof;
    const key = keyOf(channel, nonce);
    const row = posted.get(key);
    posted.delete(key);
    if (row === undefined ? isOpen(channel) : !isSame(row, proof))
      return `signs ${nonce} of ${channel}, and has ${row === undefined ? 'nothing' : 'something else'} to say of it`;
  }
  for (const { body, queue, nonce } of posted.values())
    if (body.includes('"locksroot"'))
      return `has ${nonce} of ${queue} to say and has not signed it`;
  return null;
}

function isSame({ body }: OutboxRow, proof: RecordProof): boolean {
  const said = v.safeParse(UPDATE, decode(body));
  if (!said.success) return false;
  const { transferredAmount, lockedAmount, locksroot, changes } = said.output;
  return (
    transferredAmount === proof.transferredAmount &&
    lockedAmount === proof.lockedAmount &&
    locksroot === proof.locksroot &&
    changes.length === proof.changes.length &&
    changes.every((change, at) => {
      const made = proof.changes[at];
      return made?.kind === KINDS[change.type] && made.secrethash === secrethashIn(change);
    })
  );
}
