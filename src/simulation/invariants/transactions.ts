/** Nobody pays for a transaction that could not succeed when it was sent, or that does what was done before. */
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Receipt } from '../chain/blocks.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'blockHash' | 'honest'> & {
  /** Whether it would succeed if it were the only one in the block after that in which it was sent. */
  wouldSucceed(transaction: Transaction): boolean;
  nameOf(transaction: Transaction): string;
  /** Something has kept the machine from its work since this block. */
  isExcused(owner: Address, sinceBlock: bigint): boolean;
};

type Place = { number: bigint; hash: Hash };

/** Calls of one account that are remembered. */
const KEPT = 1_000;
/** No process is away for longer and sends what it had signed before. */
const ABSENCE = 20n;

export function createTransactionRule(needs: Needs): Oracle {
  const { blockHash, honest, wouldSucceed, nameOf, isExcused } = needs;
  /** What each account has done, by address and call, and where. */
  const done = new Map<Address, Map<string, Place>>();

  function note({ from, to, data }: Transaction, { number, hash }: Place) {
    const calls = done.get(from) ?? new Map<string, Place>();
    done.set(from, calls);
    calls.set(`${to} ${data}`, { number, hash });
    if (calls.size > KEPT) calls.delete(calls.keys().next().value ?? '');
  }

  /** In a block that still stands. */
  function isDone({ from, to, data }: Transaction): boolean {
    const place = done.get(from)?.get(`${to} ${data}`);
    return place !== undefined && blockHash(place.number) === place.hash;
  }

  function check({ transaction, run }: Receipt, block: Place) {
    if (transaction.isSetup) return;
    const machine = honest(transaction.from);
    if (machine === null) return;
    if (run.isSuccess) return note(transaction, block);
    const { name } = machine;
    const text = `${name} pays for ${nameOf(transaction)}`;
    if (isDone(transaction)) throw new Violation(26, name, `${text}, which it has done before`);
    // What a process has signed it sends when it runs again: others may have been faster meanwhile.
    if (isExcused(transaction.from, transaction.arrivedBlock - ABSENCE)) return;
    if (machine.isFit && !wouldSucceed(transaction))
      throw new Violation(26, name, `${text}, which must fail: ${run.reason ?? 'no reason'}`);
  }

  return {
    block(block) {
      for (const receipt of block.receipts) check(receipt, block);
    },
  };
}
