/** A node pays for no transaction that could not succeed when it was sent, or that repeats what was done before. */

import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Receipt } from '../../chain/blocks.ts';
import type { Transaction } from '../../chain/transaction.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'blockHash' | 'honest' | 'isExcused' | 'nameOf'> & {
  /** Whether it would succeed as the only transaction in the block after the one in which it was sent. */
  wouldSucceed(transaction: Transaction): boolean;
  /** Whether a machine sent `second` that could not know that another one of the same node had sent `first`. */
  couldNotKnow(first: Sent, second: Transaction): boolean;
};

type Place = { number: bigint; hash: Hash };
type Sent = Pick<Transaction, 'hash' | 'nonce'>;
type Done = Place & { sent: Sent };

/** Calls of one account that are remembered. */
const KEPT = 1_000;
/** Blocks for which a process may be away and afterwards still send what it had signed before. */
const ABSENCE = 20n;

/** Two transactions of one call do the same. */
const callOf = ({ to, data }: Transaction) => `${to} ${data}`;

export function createTransactionRule(needs: Needs): Oracle {
  const { blockHash, honest, wouldSucceed, nameOf, isExcused, couldNotKnow } = needs;
  /** The successful calls of each account, by address and call, with their blocks. */
  const done = new Map<Address, ReturnType<typeof createRecent<Done>>>();
  /** The block in which a call succeeded last, whoever made it. */
  const made = createRecent<bigint>(KEPT);

  function note(of: Transaction, { number, hash }: Place) {
    const sent = { nonce: of.nonce, hash: of.hash };
    const calls = getOrMake(done, of.from, () => createRecent<Done>(KEPT));
    calls.set(callOf(of), { number, hash, sent });
  }

  /** The same call, which succeeded in a block that is still on the chain; null: there is none. */
  function doneBefore(again: Transaction): Sent | null {
    const place = done.get(again.from)?.get(callOf(again));
    return place !== undefined && blockHash(place.number) === place.hash ? place.sent : null;
  }

  function check({ transaction, run }: Receipt, block: Place) {
    if (transaction.isSetup) return;
    if (run.isSuccess) made.set(callOf(transaction), block.number);
    const machine = honest(transaction.from);
    if (machine === null) return;
    if (run.isSuccess) return note(transaction, block);
    const { name } = machine;
    const text = `${name} pays for ${nameOf(transaction)}`;
    const before = doneBefore(transaction);
    if (before !== null && couldNotKnow(before, transaction)) return;
    if (before !== null) throw new Violation(26, name, `${text}, which it has done before`);
    // Somebody else did it in the block at which this one was sent, or later: nobody could know.
    const others = made.get(callOf(transaction));
    if (others !== undefined && others >= transaction.arrivedBlock) return;
    // After a restart, a process sends what it had signed before: others may have been faster meanwhile.
    if (isExcused(name, transaction.arrivedBlock - ABSENCE)) return;
    if (machine.isFit && !wouldSucceed(transaction))
      throw new Violation(26, name, `${text}, which must fail: ${run.reason ?? 'no reason'}`);
  }

  return {
    block(block) {
      for (const receipt of block.receipts) check(receipt, block);
    },
  };
}
