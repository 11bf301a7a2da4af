/** A token that fails when it likes, or burns gas, costs whoever settles no more than a little now and then. */
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Receipt } from '../chain/blocks.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'blockHash' | 'honest'> & { nameOf(transaction: Transaction): string };

/** The calls of a channel that make its token pay, and never end by themselves. */
const PAYOUTS = new Set(['settleChannel', 'unlock']);
/** Far beyond what an honest token makes them cost. */
const MOST_GAS = 2_000_000n;
/** Blocks after a loss in which the same is not tried again. */
const LEAST_PAUSE = 40n;

type Place = { number: bigint; hash: Hash };

export function createLosses({ blockHash, honest, nameOf }: Needs): Oracle {
  /** Where each call of an account failed last. */
  const lost = new Map<Address, Map<string, Place>>();

  function check({ transaction, run }: Receipt, { number, hash }: Place) {
    const machine = honest(transaction.from);
    const name = nameOf(transaction);
    if (machine === null || transaction.isSetup || !PAYOUTS.has(name)) return;
    const who = machine.name;
    if (run.gasUsed > MOST_GAS)
      throw new Violation(26, who, `${who} pays ${run.gasUsed} gas for ${name}`);
    if (run.isSuccess) return;
    const own = lost.get(transaction.from) ?? new Map<string, Place>();
    lost.set(transaction.from, own);
    const before = own.get(transaction.data);
    // What failed in a block that was replaced may fail in another one: nobody has paid for it twice.
    const stands = before !== undefined && blockHash(before.number) === before.hash;
    if (stands && number - before.number < LEAST_PAUSE)
      throw new Violation(26, who, `${who} loses ${name} at ${number}, as at ${before.number}`);
    own.set(transaction.data, { number, hash });
  }

  return {
    block(block) {
      for (const receipt of block.receipts) check(receipt, block);
    },
  };
}
