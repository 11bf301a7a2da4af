/** A mediator counts what it earned when both of its sides are paid, with each other or by the chain. */

import { decodeLock, type Lock } from '../../../protocol/channel/lock.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';

type Needs = Pick<Facts & Ledger, 'channelOf' | 'isInitiator' | 'machine' | 'secretBlock'>;
type Leg = { channel: string; lock: Lock; isPaid: boolean };
type Passed = { who: string; came: Leg; went: Leg };

/** Locks of payers that are remembered. */
const KEPT = 20_000;

export function createEarnings(needs: Needs): Oracle {
  const { channelOf, machine, secretBlock, isInitiator } = needs;
  /** What payers have locked, by node and secrethash. */
  const payers = createRecent<Leg>(KEPT);
  /** What went on and is not counted yet, by the same. */
  const open = new Map<string, Passed>();

  function passOn(who: string, key: string, went: Leg) {
    const came = payers.get(key);
    if (came === undefined) return;
    open.set(key, { who, came, went });
  }

  function note(who: string, { side, channel, secrethash, kind, lock }: Changed) {
    const key = `${who} ${secrethash}`;
    if (kind === 'add') {
      const leg = { channel, lock: decodeLock(lock), isPaid: false };
      if (side === 'partner') payers.set(key, leg);
      else if (!isInitiator(who, secrethash)) passOn(who, key, leg);
      return;
    }
    const passed = open.get(key);
    const leg = side === 'own' ? passed?.went : passed?.came;
    if (leg?.channel !== channel) return;
    if (kind === 'pay') leg.isPaid = true;
    else open.delete(key);
  }

  /** Whether the chain has paid the lock: its secret was registered in time, and nothing is left in the contract. */
  function isClaimed({ channel, lock }: Leg): boolean {
    const block = secretBlock(lock.secrethash);
    return block !== null && block < lock.expiration && channelOf(channel)?.state === 'removed';
  }

  function checkCounted({ who, came, went }: Passed) {
    if (!went.isPaid || machine(who)?.isFit !== true) return;
    if (!came.isPaid && !isClaimed(came)) return;
    const { secrethash, amount } = came.lock;
    const text = `${who} has ${amount} for ${secrethash}, which it has passed on`;
    throw new Violation(9, who, `${text}, and does not count what it earned`);
  }

  return {
    commit(who, { proofs, mediations }) {
      for (const change of lockChanges(proofs)) note(who, change);
      for (const { secrethash } of mediations) open.delete(`${who} ${secrethash}`);
    },
    end() {
      for (const passed of open.values()) checkCounted(passed);
    },
  };
}
