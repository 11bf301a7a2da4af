/** A token that fails when it likes, or burns gas, costs whoever settles no more than a little now and then. */
import type { Address } from '../../protocol/hex.ts';
import type { Receipt } from '../chain/blocks.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'honest' | 'head'> & { nameOf(transaction: Transaction): string };

/** The calls of a channel that make its token pay, and never end by themselves. */
const PAYOUTS = new Set(['settleChannel', 'unlock']);
/** Far beyond what an honest token makes them cost. */
const MOST_GAS = 2_000_000n;
/** Blocks after a loss in which the same is not tried again. */
const LEAST_PAUSE = 40n;

export function createLosses({ honest, head, nameOf }: Needs): Oracle {
  /** When each call of an account failed last. */
  const lost = new Map<Address, Map<string, bigint>>();

  function check({ transaction, run }: Receipt) {
    const machine = honest(transaction.from);
    const name = nameOf(transaction);
    if (machine === null || transaction.isSetup || !PAYOUTS.has(name)) return;
    const who = machine.name;
    if (run.gasUsed > MOST_GAS)
      throw new Violation(26, who, `${who} pays ${run.gasUsed} gas for ${name}`);
    if (run.isSuccess) return;
    const own = lost.get(transaction.from) ?? new Map<string, bigint>();
    lost.set(transaction.from, own);
    const before = own.get(transaction.data);
    if (before !== undefined && head() - before < LEAST_PAUSE)
      throw new Violation(26, who, `${who} loses ${name} at ${head()}, as it did at ${before}`);
    own.set(transaction.data, head());
  }

  return {
    block({ receipts }) {
      for (const receipt of receipts) check(receipt);
    },
  };
}
