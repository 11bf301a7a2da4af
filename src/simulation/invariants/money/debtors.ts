/**
 * A node does not mediate for a payer whose lock it still has to claim on chain: each withheld unlock costs the
 * node gas, and costs the payer nothing.
 */

import type { Hash } from '../../../basics/hex.ts';
import type { JobRow } from '../../../store/base/batch.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Oracle } from '../oracle.ts';
import { registeredBy } from '../registered-by.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';

type Needs = Pick<Ledger, 'isInitiator'>;
/** A lock that the partner of a channel owes to a node. */
type Owed = { channel: string; isClaimed: boolean };

export function createDebtors({ isInitiator }: Needs): Oracle {
  /** Pending locks of partners, by machine and secrethash. */
  const owed = new Map<string, Owed>();
  /** How many of them a node is claiming on chain, by machine and channel. */
  const claimed = new Map<string, number>();

  function count(who: string, { channel, isClaimed }: Owed, more: 1 | -1) {
    const key = `${who} ${channel}`;
    if (isClaimed) claimed.set(key, (claimed.get(key) ?? 0) + more);
  }

  function note(who: string, { side, channel, kind, secrethash }: Changed) {
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

  function claim(who: string, job: JobRow) {
    const known = owed.get(`${who} ${registeredBy(job)}`);
    if (known === undefined || known.isClaimed) return;
    known.isClaimed = true;
    count(who, known, 1);
  }

  return {
    commit(who, { proofs, jobs }) {
      for (const change of lockChanges(proofs)) note(who, change);
      for (const job of jobs) claim(who, job);
    },
  };
}
