/**
 * Two different transactions of one account have different nonces: of several with the same nonce only one is ever
 * mined. Only what was promised may take the nonce of what can wait.
 */

import type { Hex } from '../../../basics/hex.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'nameOf'>;
type Sent = { nonce: number; name: string; data: Hex };

/** Transactions of one node that are remembered. */
const KEPT = 64;

export function createPlaces({ nameOf }: Needs): Oracle {
  const sent = new Map<string, Sent[]>();

  return {
    submitted(who, transaction) {
      const { nonce, data } = transaction;
      // An empty transaction is made by another program with the node's key.
      if (data === '0x') return;
      const name = nameOf(transaction);
      const before = sent.get(who)?.findLast((one) => one.nonce === nonce);
      if (before !== undefined && before.data !== data && !isPromised(name)) {
        const text = `${who} gives ${name} the number ${nonce} of another`;
        throw new Violation(26, who, text);
      }
      sent.set(who, [...(sent.get(who) ?? []), { nonce, name, data }].slice(-KEPT));
    },
  };
}

/** What was promised does not wait for anything else: it may take its number. */
const PROMISED = ['registerSecret', 'updateNonClosingBalanceProof'];

const isPromised = (name: string): boolean => PROMISED.some((one) => name.startsWith(one));
