/**
 * The steps that honest nodes have signed and accepted, over all their processes and even if their disks forget
 * them. Each commit is checked against this ledger before anything of it is carried out, so that a step that breaks
 * a rule is found at once; only what the commit changes is checked.
 */
import type { RecordProof } from '../../../../machines/effects.ts';
import type { Hash } from '../../../basics/hex.ts';
import {
  decodeLock,
  type Lock,
  locksroot,
  MAX_PENDING_LOCKS,
} from '../../../protocol/channel/lock.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { Violation } from '../violation.ts';
import { createPaymentLocks, type PaymentFacts, type Side } from './payment-locks.ts';
import { createSignedSteps } from './signed-steps.ts';

/** One direction of one channel as one of its nodes knows it. */
export type SignedSide = {
  nonce: bigint;
  transferred: bigint;
  locks: Map<Hash, Lock>;
};
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger(facts: PaymentFacts) {
  const rows = new Map<string, SignedSide>();
  const signed = createSignedSteps(facts);
  const payments = createPaymentLocks(facts);
  const rowKey = (who: string, side: Side, channel: string) => `${who} ${side} ${channel}`;

  function rowOf(key: string): SignedSide {
    const known = rows.get(key);
    if (known !== undefined) return known;
    const locks = new Map<Hash, Lock>();
    const row = { nonce: 0n, transferred: 0n, locks };
    rows.set(key, row);
    return row;
  }

  function checkShape(who: string, row: SignedSide, proof: RecordProof) {
    const locks = [...row.locks.values()];
    const sum = locks.reduce((total, { amount }) => total + amount, 0n);
    const wrong =
      (sum !== proof.lockedAmount && `holds locks of ${sum}, and signs ${proof.lockedAmount}`) ||
      (locksroot(locks) !== proof.locksroot && 'signs another locksroot than that of its locks') ||
      (locks.length > MAX_PENDING_LOCKS && `holds ${locks.length} locks`);
    if (wrong) throw new Violation(12, who, `${who} ${wrong} in ${proof.channel}`);
  }

  function step(who: string, proof: RecordProof) {
    const { side, channel, changes } = proof;
    const row = rowOf(rowKey(who, side, channel));
    if (side === 'own') signed.note(who, proof);
    else signed.checkTaken(who, proof);
    // After its disk lost the newest rows, a node takes the same steps again; its signatures were compared above.
    if (proof.nonce <= row.nonce) return;
    checkTransferred(who, row, proof);
    for (const { kind, lock: packed } of changes) {
      const lock = decodeLock(packed);
      const { secrethash } = lock;
      const place = { who, side, channel };
      if (kind === 'add') {
        if (row.locks.has(secrethash))
          throw new Violation(12, who, `${who} holds ${secrethash} twice in ${channel}`);
        row.locks.set(secrethash, lock);
        payments.add(place, lock);
      } else {
        payments.remove(place, lock, kind === 'pay');
        row.locks.delete(secrethash);
      }
    }
    checkShape(who, row, proof);
    row.nonce = proof.nonce;
    row.transferred = proof.transferredAmount;
  }

  return {
    /** An honest node has written this batch. Throws the violation that it finds. */
    commit(who: string, batch: Pick<Batch, 'actors' | 'proofs'>) {
      for (const { id } of batch.actors) payments.begin(who, id);
      for (const proof of batch.proofs) step(who, proof);
    },
    /** Whether the node has written this step, as it must before sending it. */
    hasSaid: signed.has,
    ownExpiration: payments.ownExpiration,
    /** What was signed for one side of a channel, as this node knows it; null: nothing was. */
    signedSide: (who: string, side: Side, channel: string): Readonly<SignedSide> | null =>
      rows.get(rowKey(who, side, channel)) ?? null,
    /** Whether the node has a pending lock for its partner in this channel. */
    isLocked: (who: string, channel: string, secrethash: Hash): boolean =>
      rows.get(rowKey(who, 'own', channel))?.locks.has(secrethash) ?? false,
    isHeld: payments.isHeld,
    isInitiator: payments.isInitiator,
    isStarted: payments.isStarted,
    isReturned: payments.isReturned,
    claimOf: payments.claimOf,
    pending: payments.pending,
    /** The channel was removed from the chain: nothing in it can be signed any more. */
    forget(who: string, channel: string) {
      for (const side of ['own', 'partner'] as const) {
        const key = rowKey(who, side, channel);
        payments.forget({ who, side, channel }, rows.get(key)?.locks.keys() ?? []);
        rows.delete(key);
      }
      signed.forget(who, channel);
    },
    /** The expirations of the pending locks that pay an honest node with this secret. */
    claims: (secrethash: Hash): bigint[] =>
      [...rows].flatMap(([key, { locks }]) => {
        const lock = key.includes(' partner ') ? locks.get(secrethash) : undefined;
        return lock === undefined ? [] : [lock.expiration];
      }),
  };
}

/** What is transferred grows by the locks that are paid, and by nothing else. */
function checkTransferred(who: string, row: SignedSide, { channel, ...proof }: RecordProof) {
  const paid = proof.changes.filter(({ kind }) => kind === 'pay');
  const sum = paid.reduce((total, { lock }) => total + decodeLock(lock).amount, 0n);
  if (proof.transferredAmount === row.transferred + sum) return;
  const text = `${who} pays ${sum} in ${channel}, and signs ${proof.transferredAmount}`;
  throw new Violation(12, who, text);
}
