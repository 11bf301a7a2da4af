/** A node never requests the secret of a lock that is gone, or that can no longer be claimed. */
import type { Hash } from '../../../basics/hex.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Options = Pick<Facts, 'confirmations' | 'head' | 'isExcused' | 'isWhole'> & {
  ledger: Pick<Ledger, 'claimOf'>;
};

/** Blocks that a node may take to see that it is too late. */
const SLACK = 6n;

export function createRequests(options: Options): Oracle {
  const { ledger, confirmations, head, isWhole, isExcused } = options;

  function check(who: string, secrethash: Hash) {
    if (!isWhole(who)) return;
    const claim = ledger.claimOf(who, secrethash);
    if (claim === null)
      throw new Violation(21, who, `${who} asks for ${secrethash}, whose lock it does not hold`);
    const late = head() - claim.lock.expiration - 2n * confirmations;
    if (late <= SLACK || isExcused(who, claim.lock.expiration)) return;
    throw new Violation(21, who, `${who} asks for ${secrethash}, ${late} blocks too late`);
  }

  return {
    says(who, _, message) {
      if (message.type === 'SecretRequest') check(who, message.secrethash);
    },
  };
}
