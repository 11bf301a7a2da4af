/** Two transactions of one account have two numbers: of those with one only one is ever mined. */
import type { Address, Hex } from '../../protocol/hex.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'honest'> & { nameOf(transaction: Transaction): string };
type Sent = { nonce: number; name: string; data: Hex };

/** Transactions of one account that are remembered. */
const KEPT = 64;

export function createPlaces({ honest, nameOf }: Needs): Oracle {
  const sent = new Map<Address, Sent[]>();

  return {
    submitted(_, transaction) {
      const { from, nonce, data } = transaction;
      const machine = honest(from);
      // What does nothing is a stranger's.
      if (machine === null || data === '0x') return;
      const name = nameOf(transaction);
      const before = sent.get(from)?.findLast((one) => one.nonce === nonce);
      if (before !== undefined && before.data !== data && !isJoined(before.name, name)) {
        const text = `${machine.name} gives ${name} the number ${nonce} of another`;
        throw new Violation(26, machine.name, text);
      }
      sent.set(from, [...(sent.get(from) ?? []), { nonce, name, data }].slice(-KEPT));
    },
  };
}

/** A dearer registration may hold the secrets of the one whose place it takes, and more. */
function isJoined(before: string, name: string): boolean {
  return before.startsWith('registerSecret') && name.startsWith('registerSecret');
}
