/**
 * Whose money pays a payment. Each lock is paid by the node that gave it: where a node pays on and is paid by nobody, its
 * own money has paid, and the payer's is left.
 */
import type { RecordProof } from '../../../../machines/effects.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Facts } from '../oracle.ts';
import { createRecent } from '../recent.ts';

type Needs = Pick<Facts, 'channelOf' | 'honest' | 'secretBlock'>;
type Party = { name: string; address: Address };

/** Locks that are remembered, of each kind. */
const KEPT = 40_000;

export function createPurses({ channelOf, honest, secretBlock }: Needs) {
  /** When the newest lock ends that a node has given, and whether it is paid off chain, by node and secrethash. */
  const given = createRecent<{ expiration: bigint; isPaid: boolean }>(KEPT);
  /** The channel in which a node has got a lock, by the same. */
  const got = createRecent<string>(KEPT);

  function note(who: string, { side, channel, kind, lock, secrethash }: Changed) {
    const key = `${who} ${secrethash}`;
    if (side === 'own')
      given.set(key, { expiration: decodeLock(lock).expiration, isPaid: kind === 'pay' });
    else if (kind === 'add') got.set(key, channel);
  }

  /** Whether the node has paid the lock that it gave, or must: its secret was registered before the lock ended. */
  function hasPaid(who: string, secrethash: Hash): boolean {
    const lock = given.get(`${who} ${secrethash}`);
    if (lock === undefined) return false;
    const block = secretBlock(secrethash);
    return lock.isPaid || (block !== null && block < lock.expiration);
  }

  /** Who has given this node the lock of a payment; null: it is not known. */
  function giverOf({ name, address }: Party, secrethash: Hash): Address | null {
    const channel = got.get(`${name} ${secrethash}`);
    const sides = channel === undefined ? [] : (channelOf(channel)?.sides ?? []);
    return sides.find((side) => side.address !== address)?.address ?? null;
  }

  /** Whether a node that is not honest has passed the payment on, as far as it can be followed back from its payee. */
  function isByOthers(payer: Party, payee: Party, secrethash: Hash): boolean {
    const seen = new Set<string>();
    for (let at = payee; at.name !== payer.name && !seen.has(at.name); ) {
      seen.add(at.name);
      const giver = giverOf(at, secrethash);
      if (giver === null) return false;
      const next = honest(giver);
      if (next === null) return true;
      at = next;
    }
    return false;
  }

  return {
    commit(who: string, proofs: readonly RecordProof[]) {
      for (const change of lockChanges(proofs)) note(who, change);
    },
    /**
     * Whether the payer's money is left although the payee got the payment. Honest nodes make sure that they are paid for
     * what they pay; one that cheats, or has an old copy of its disk, may not.
     */
    isLeft: (payer: Party, payee: Party, secrethash: Hash): boolean =>
      !hasPaid(payer.name, secrethash) && isByOthers(payer, payee, secrethash),
  };
}
