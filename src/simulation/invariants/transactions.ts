/** Nobody pays for a transaction that could not succeed when it was sent, or that does what was done before. */
import type { Address } from '../../protocol/hex.ts';
import type { Receipt } from '../chain/blocks.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'honest'> & {
  /** Whether it would succeed if it were the only one in the block after that in which it was sent. */
  wouldSucceed(transaction: Transaction): boolean;
  nameOf(transaction: Transaction): string;
  /** Something has kept the machine from its work since this block. */
  isExcused(owner: Address, sinceBlock: bigint): boolean;
};

/** Calls of one account that are remembered. */
const KEPT = 1_000;
/** No process is away for longer and sends what it had signed before. */
const ABSENCE = 20n;

export function createTransactionRule(needs: Needs): Oracle {
  const { honest, wouldSucceed, nameOf, isExcused } = needs;
  /** What each account has done, by address and call. */
  const done = new Map<Address, Set<string>>();

  function note({ from, to, data }: Transaction) {
    const calls = done.get(from) ?? new Set();
    done.set(from, calls);
    calls.add(`${to} ${data}`);
    if (calls.size > KEPT) calls.delete(calls.values().next().value ?? '');
  }

  function check({ transaction, run }: Receipt) {
    if (transaction.isSetup) return;
    const machine = honest(transaction.from);
    if (machine === null) return;
    if (run.isSuccess) return note(transaction);
    const { name } = machine;
    const isRepeat = done.get(transaction.from)?.has(`${transaction.to} ${transaction.data}`);
    const text = `${name} pays for ${nameOf(transaction)}`;
    if (isRepeat) throw new Violation(26, name, `${text}, which it has done before`);
    // What a process has signed it sends when it runs again: others may have been faster meanwhile.
    if (isExcused(transaction.from, transaction.arrivedBlock - ABSENCE)) return;
    if (machine.isFit && !wouldSucceed(transaction))
      throw new Violation(26, name, `${text}, which must fail: ${run.reason ?? 'no reason'}`);
  }

  return {
    block({ receipts }) {
      for (const receipt of receipts) check(receipt);
    },
  };
}
