/** Whoever pays for the registration of a secret has something to claim with it, and still can. */
import { decodeFunctionData } from 'viem';
import { secretRegistryAbi } from '../../contracts/generated/SecretRegistry.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Ledger } from './ledger.ts';
import type { Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Options = {
  ledger: Pick<Ledger, 'claimOf'>;
  registry(): Address;
  /** The chain's newest block. */
  head(): bigint;
  confirmations: bigint;
  secretBlock(secrethash: Hash): bigint | null;
  isOpen(channel: string): boolean;
  /** It has all that it ever wrote down: an old copy claims what was paid since. */
  isWhole(who: string): boolean;
  /** Of this machine, in blocks. */
  revealTimeoutOf(who: string): bigint;
};

/** Blocks in which a machine has heard what was confirmed, or what ended while it wrote down what it signed. */
const NEWS = 1n;
/** Claims of one machine that have ended and are remembered. */
const KEPT = 64;

export function createRegistrations(options: Options): Oracle {
  const { ledger, registry, head, confirmations, secretBlock, isOpen } = options;
  /** The highest nonce of each account: what is sent again at a higher price was judged before. */
  const nonces = new Map<string, number>();
  /** When the claims of each machine ended, by secrethash. */
  const ended = new Map<string, Map<Hash, bigint>>();
  /** Whoever goes back to a fork registers once more what it may have lost: what is older than this block. */
  const replaced = new Map<string, bigint>();

  function judge(who: string, secrethash: Hash) {
    const claim = ledger.claimOf(who, secrethash);
    const endedBlock = ended.get(who)?.get(secrethash);
    const hasJustEnded = endedBlock !== undefined && head() <= endedBlock + NEWS;
    if (claim === null && (hasJustEnded || !options.isWhole(who))) return;
    if (claim === null)
      throw new Violation(26, who, `${who} registers ${secrethash}, with which it claims nothing`);
    // The contract pays for what is registered below the expiration, and no block can take it before the next.
    if (head() + 1n >= claim.lock.expiration)
      throw new Violation(26, who, `${who} registers ${secrethash}, which expires first`);
    const registeredAt = secretBlock(secrethash);
    const isOld = registeredAt !== null && registeredAt + confirmations + NEWS < head();
    if (isOld && registeredAt > (replaced.get(who) ?? -1n))
      throw new Violation(26, who, `${who} registers ${secrethash}, which everybody knows`);
    if (!claim.isPassedOn)
      throw new Violation(26, who, `${who} registers ${secrethash}, which it never passed on`);
    // Its payer may pay it for nothing until then.
    const danger = claim.lock.expiration - options.revealTimeoutOf(who);
    if (head() < danger && isOpen(claim.channel))
      throw new Violation(26, who, `${who} registers ${secrethash} at ${head()}, too early`);
  }

  function end(who: string, secrethash: Hash) {
    const own = ended.get(who) ?? new Map<Hash, bigint>();
    ended.set(who, own);
    own.set(secrethash, head());
    const [oldest] = own.keys();
    if (own.size > KEPT && oldest !== undefined) own.delete(oldest);
  }

  return {
    commit(who, { proofs }) {
      for (const { side, change } of proofs)
        if (side === 'partner' && change !== null && change.kind !== 'add')
          end(who, change.secrethash);
    },
    replaced: (who) => void replaced.set(who, head()),
    submitted(who, { to, data, nonce }) {
      if (to !== registry() || nonce <= (nonces.get(who) ?? -1)) return;
      nonces.set(who, nonce);
      const { functionName, args } = decodeFunctionData({ abi: secretRegistryAbi, data });
      if (functionName === 'registerSecret') judge(who, secrethashOf(args[0]));
      if (functionName !== 'registerSecretBatch') return;
      for (const secret of args[0]) judge(who, secrethashOf(secret));
    },
  };
}
