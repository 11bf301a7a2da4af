/**
 * A node that pays for the registration of a secret has a lock to claim with it, and still can; and nobody makes it pay
 * for any number of them.
 */

import { decodeFunctionData } from 'viem';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Hash } from '../../../basics/hex.ts';
import { secretRegistryAbi } from '../../../contracts/generated/SecretRegistry.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import { createAllowances } from '../allowance.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Options = Pick<Facts, 'boundsOf' | 'confirmations' | 'head' | 'isOpen' | 'isWhole'> &
  Pick<Facts, 'registry' | 'revealTimeoutOf' | 'secretBlock'> & { ledger: Pick<Ledger, 'claimOf'> };

/** Blocks in which a node learns what was confirmed, or what ended while it wrote down what it signed. */
const NEWS = 1n;
/** Registrations that the payers of one channel may force on a node: so many, and one more after so many blocks. */
const FORCED = 320;
const BLOCKS_FOR_ONE_MORE = 300n;
/** Ended claims of one node that are remembered. */
const KEPT = 64;

export function createRegistrations(options: Options): Oracle {
  const { ledger, registry, head, confirmations, secretBlock, isOpen } = options;
  /** The highest nonce of each account: a transaction that is sent again at a higher price was checked before. */
  const nonces = new Map<string, number>();
  /** The block in which each node's claims ended, by secrethash. */
  const ended = new Map<string, Map<Hash, bigint>>();
  /** What was registered because of locks in a channel, by node and channel. */
  const forced = createAllowances(BLOCKS_FOR_ONE_MORE);
  /**
   * The chain's height when each node went back to a fork: it may register again what was registered up to this
   * block.
   */
  const replaced = new Map<string, bigint>();

  function judge(who: string, secrethash: Hash) {
    const claim = ledger.claimOf(who, secrethash);
    const endedBlock = ended.get(who)?.get(secrethash);
    const hasJustEnded = endedBlock !== undefined && head() <= endedBlock + NEWS;
    if (claim === null && (hasJustEnded || !options.isWhole(who))) return;
    if (claim === null)
      throw new Violation(26, who, `${who} registers ${secrethash}, with which it claims nothing`);
    // A secret must be registered below the expiration, and the next block is the first that can contain the
    // transaction.
    if (head() + 1n >= claim.lock.expiration)
      throw new Violation(26, who, `${who} registers ${secrethash}, which expires first`);
    const registeredAt = secretBlock(secrethash);
    const isOld = registeredAt !== null && registeredAt + confirmations + NEWS < head();
    if (isOld && registeredAt > (replaced.get(who) ?? -1n))
      throw new Violation(26, who, `${who} registers ${secrethash}, which everybody knows`);
    if (!claim.isPassedOn)
      throw new Violation(26, who, `${who} registers ${secrethash}, which it never passed on`);
    // Until then the payer may still pay the lock off chain, without cost.
    const danger = claim.lock.expiration - options.revealTimeoutOf(who);
    if (head() < danger && isOpen(claim.channel))
      throw new Violation(26, who, `${who} registers ${secrethash} at ${head()}, too early`);
    count(who, claim.channel, secrethash);
  }

  function count(who: string, channel: string, secrethash: Hash) {
    const { partnerRegistrations: most = FORCED } = options.boundsOf(who);
    const times = forced.exceeded(`${who} ${channel}`, secrethash, { most, head: head() });
    if (times !== null)
      throw new Violation(26, who, `${who} registers ${times} secrets for ${channel}`);
  }

  function end(who: string, secrethash: Hash) {
    const own = getOrMake(ended, who, () => new Map<Hash, bigint>());
    own.set(secrethash, head());
    const [oldest] = own.keys();
    if (own.size > KEPT && oldest !== undefined) own.delete(oldest);
  }

  return {
    commit(who, { proofs }) {
      for (const { side, kind, secrethash } of lockChanges(proofs))
        if (side === 'partner' && kind !== 'add') end(who, secrethash);
    },
    replaced: (who) => void replaced.set(who, head()),
    submitted(who, { to, data, nonce }) {
      if (to !== registry || nonce <= (nonces.get(who) ?? -1)) return;
      nonces.set(who, nonce);
      const { functionName, args } = decodeFunctionData({ abi: secretRegistryAbi, data });
      if (functionName === 'registerSecret') judge(who, secrethashOf(args[0]));
      if (functionName !== 'registerSecretBatch') return;
      for (const secret of args[0]) judge(who, secrethashOf(secret));
    },
  };
}
