/** A node pays for no transaction that could not succeed when it was sent, or that repeats what was done before. */
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Receipt } from '../chain/blocks.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'blockHash' | 'honest'> & {
  /** Whether it would succeed as the only transaction in the block after the one in which it was sent. */
  wouldSucceed(transaction: Transaction): boolean;
  nameOf(transaction: Transaction): string;
  /** Whether something has kept the node from its work since this block. */
  isExcused(owner: Address, sinceBlock: bigint): boolean;
};

type Place = { number: bigint; hash: Hash };

/** Calls of one account that are remembered. */
const KEPT = 1_000;
/** Blocks for which a process may be away and afterwards still send what it had signed before. */
const ABSENCE = 20n;

export function createTransactionRule(needs: Needs): Oracle {
  const { blockHash, honest, wouldSucceed, nameOf, isExcused } = needs;
  /** The successful calls of each account, by address and call, with their blocks. */
  const done = new Map<Address, Map<string, Place>>();

  function note({ from, to, data }: Transaction, { number, hash }: Place) {
    const calls = done.get(from) ?? new Map<string, Place>();
    done.set(from, calls);
    calls.set(`${to} ${data}`, { number, hash });
    if (calls.size > KEPT) calls.delete(calls.keys().next().value ?? '');
  }

  /** Whether the call succeeded in a block that is still on the chain. */
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
    // After a restart, a process sends what it had signed before: others may have been faster meanwhile.
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
