/**
 * A node does not mediate for a payer whose lock it still has to claim on chain: each withheld unlock costs the
 * node gas, and costs the payer nothing.
 */

import * as v from 'valibot';
import type { RecordProof, SignedChange } from '../../../../machines/effects.ts';
import { type Hash, isHexOf } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { JobRow } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';

type Needs = Pick<Ledger, 'isInitiator'>;
/** A lock that the partner of a channel owes to a node. */
type Owed = { channel: string; isClaimed: boolean };

const REGISTER = 'tx.registerSecret';
const REGISTRATION = v.looseObject({
  type: v.literal(REGISTER),
  secret: v.custom<Hash>((given) => isHexOf(given, 32)),
});

export function createDebtors({ isInitiator }: Needs): Oracle {
  /** Pending locks of partners, by machine and secrethash. */
  const owed = new Map<string, Owed>();
  /** How many of them a node is claiming on chain, by machine and channel. */
  const claimed = new Map<string, number>();

  function count(who: string, { channel, isClaimed }: Owed, more: 1 | -1) {
    const key = `${who} ${channel}`;
    if (isClaimed) claimed.set(key, (claimed.get(key) ?? 0) + more);
  }

  function step(who: string, proof: RecordProof) {
    for (const change of proof.changes) note(who, proof, change);
  }

  function note(who: string, { side, channel }: RecordProof, { kind, secrethash }: SignedChange) {
    const key = `${who} ${secrethash}`;
    const known = owed.get(key);
    if (side === 'own') {
      if (kind === 'add' && known !== undefined) check(who, secrethash, known);
    } else if (kind === 'add') owed.set(key, known ?? { channel, isClaimed: false });
    else if (known?.channel === channel) {
      count(who, known, -1);
      owed.delete(key);
    }
  }

  function check(who: string, secrethash: Hash, { channel }: Owed) {
    if (isInitiator(who, secrethash) || (claimed.get(`${who} ${channel}`) ?? 0) <= 0) return;
    const text = `${who} passes ${secrethash} on for a payer that it has to turn to the chain for`;
    throw new Violation(26, who, text);
  }

  function claim(who: string, { body }: JobRow) {
    if (!body.includes(REGISTER)) return;
    const order = v.safeParse(REGISTRATION, decode(body));
    if (!order.success) return;
    const known = owed.get(`${who} ${secrethashOf(order.output.secret)}`);
    if (known === undefined || known.isClaimed) return;
    known.isClaimed = true;
    count(who, known, 1);
  }

  return {
    commit(who, { proofs, jobs }) {
      for (const proof of proofs) step(who, proof);
      for (const job of jobs) claim(who, job);
    },
  };
}
