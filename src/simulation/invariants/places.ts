/** Two transactions of one account have two numbers: of those with one only one is ever mined. */
import type { Hex } from '../../protocol/hex.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = { nameOf(transaction: Transaction): string };
type Sent = { nonce: number; name: string; data: Hex };

/** Transactions of one machine that are remembered. */
const KEPT = 64;

export function createPlaces({ nameOf }: Needs): Oracle {
  const sent = new Map<string, Sent[]>();

  return {
    submitted(who, transaction) {
      const { nonce, data } = transaction;
      // What does nothing is a stranger's.
      if (data === '0x') return;
      const name = nameOf(transaction);
      const before = sent.get(who)?.findLast((one) => one.nonce === nonce);
      if (before !== undefined && before.data !== data && !isJoined(before.name, name)) {
        const text = `${who} gives ${name} the number ${nonce} of another`;
        throw new Violation(26, who, text);
      }
      sent.set(who, [...(sent.get(who) ?? []), { nonce, name, data }].slice(-KEPT));
    },
  };
}

/** A dearer registration may hold the secrets of the one whose place it takes, and more. */
function isJoined(before: string, name: string): boolean {
  return before.startsWith('registerSecret') && name.startsWith('registerSecret');
}
