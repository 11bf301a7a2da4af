/** A hostile token, which reverts at will or burns gas, costs a node that settles only a little, and not often. */

import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Receipt } from '../../chain/blocks.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'blockHash' | 'honest' | 'nameOf'>;

/** The calls of a channel that make its token pay out; nodes repeat them without end. */
const PAYOUTS = new Set(['settleChannel', 'unlock']);
/** Gas far beyond what these calls cost with an honest token. */
const MOST_GAS = 2_000_000n;
/** Blocks after a failure in which the same call must not be sent again. */
const LEAST_PAUSE = 40n;

type Place = { number: bigint; hash: Hash };

export function createLosses({ blockHash, honest, nameOf }: Needs): Oracle {
  /** The block in which each call of an account failed last. */
  const lost = new Map<Address, Map<string, Place>>();

  function check({ transaction, run }: Receipt, { number, hash }: Place) {
    const machine = honest(transaction.from);
    const name = nameOf(transaction);
    if (machine === null || transaction.isSetup || !PAYOUTS.has(name)) return;
    const who = machine.name;
    if (run.gasUsed > MOST_GAS)
      throw new Violation(26, who, `${who} pays ${run.gasUsed} gas for ${name}`);
    if (run.isSuccess) return;
    const own = getOrMake(lost, transaction.from, () => new Map<string, Place>());
    const before = own.get(transaction.data);
    // A call that failed in a replaced block may fail again in another one: it was not paid for twice.
    const stands = before !== undefined && blockHash(before.number) === before.hash;
    // A second process with the key may have sent it before either knew.
    const wasKnown = stands && transaction.arrivedBlock >= before.number;
    if (wasKnown && number - before.number < LEAST_PAUSE)
      throw new Violation(26, who, `${who} loses ${name} at ${number}, as at ${before.number}`);
    own.set(transaction.data, { number, hash });
  }

  return {
    block(block) {
      for (const receipt of block.receipts) check(receipt, block);
    },
  };
}
